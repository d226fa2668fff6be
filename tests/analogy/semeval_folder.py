"""A tiny SemEval-2012 Task 2 folder: relation 1a for training, 1b for testing."""

from pathlib import Path

PAIRS = ("weapon:knife", "tool:hammer", "fork:utensil", "home:tree", "seat:chair")
ANSWERS = (
    (PAIRS[:4], PAIRS[3], PAIRS[0]),
    (PAIRS[:4], PAIRS[3], PAIRS[1]),
    (PAIRS[:4], PAIRS[2], ""),
    (PAIRS[1:], PAIRS[2], PAIRS[4]),
)


def quoted(pairs: tuple[str, ...], separator: str) -> str:
    return separator.join(f'"{pair}"' for pair in pairs)


def write_semeval(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "subcategories-paradigms.txt").write_text(
        "1, a, CLASS-INCLUSION, Taxonomic, flower:tulip, emotion:rage,poem:sonnet\n"
        "1, b, CLASS-INCLUSION, Functional, weapon:gun, vehicle:car, bulwark: flimsy\n"
    )
    (folder / "subcategories-training.txt").write_text("Relation 1a  --- Y is a kind of X\n")
    for part, id_ in (("gold/Training", "1a"), ("gold/Testing", "1b"), ("platinum", "1a"), ("platinum", "1b")):
        write_relation(folder / part, id_)
    return folder


def write_relation(part: Path, id_: str) -> None:
    questions = f"{quoted(PAIRS[:4], ',')}\n{quoted(PAIRS[1:], ',')}\n{quoted(PAIRS[3::-1], ',')}\n"
    answers = "# pair1\tpair2\tpair3\tpair4\tleast\tmost\trelation\n" + "".join(
        f'{quoted((*four, least, most), chr(9))}\t"X is Y"\n' for four, least, most in ANSWERS
    )
    texts = {"Phase1Answers": quoted(PAIRS, "\n") + "\n", "Phase2Questions": questions, "Phase2Answers": answers}
    for name, text in texts.items():
        (part / name).mkdir(parents=True, exist_ok=True)
        (part / name / f"{name}-{id_}.txt").write_text(text)
