// The JSON API of the same server; answers are kept, so that going back is immediate.

const kept = new Map();
const MOST_KEPT = 300;

export class ApiError extends Error {
  constructor(answer, status) {
    super(answer.error ?? "the server did not answer");
    this.unknown = answer.unknown ?? {};
    this.status = status;
  }
}

export async function get(path, parameters = {}, { keep = true, signal } = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  const address = `/api/${path}?${new URLSearchParams(given)}`;
  if (kept.has(address)) return kept.get(address);
  let response;
  try {
    response = await fetch(address, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ error: "the explorer does not answer; is relrep explore still running?" }, 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(answer, response.status);
  if (keep) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(address, answer);
  }
  return answer;
}
