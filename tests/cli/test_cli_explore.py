import socket
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from relrep.cli.main import main

pytest.importorskip("uvicorn", reason="the explorer's packages are not installed (relrep[web])")


def test_explore_serves_the_page_on_this_machine_only(tiny_model_folder, capsys, monkeypatch):
    import relrep.web.app as serving

    seen = {}

    def serve_a_moment(app, listening):
        import threading

        import uvicorn

        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        host, port = listening.getsockname()
        seen["host"] = host
        with ThreadPoolExecutor(1) as pool:
            ask = pool.submit(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30).read())
            seen["page"] = ask.result().decode()
        server.should_exit = True
        thread.join()

    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(serving, "serve", serve_a_moment)
    assert main(["explore", str(tiny_model_folder), "--port", "0"]) == 0
    assert seen["host"] == "127.0.0.1" and "relrep explorer" in seen["page"]
    assert capsys.readouterr().out.startswith("http://127.0.0.1:") and opened == []
    assert main(["explore", str(tiny_model_folder), "--port", "0", "--open", "--quiet"]) == 0
    assert len(opened) == 1


def test_a_port_that_is_taken_or_impossible_is_told_in_one_sentence(tiny_model_folder, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["explore", str(tiny_model_folder), "--port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1, port {port}" in capsys.readouterr().err
    assert main(["explore", str(tiny_model_folder), "--port", "70000"]) == 2
    assert main(["explore", str(tiny_model_folder / "nowhere")]) == 2


def test_missing_packages_are_told_in_one_sentence(tiny_model_folder, capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("relrep.web.") or name == "fastapi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert main(["explore", str(tiny_model_folder)]) == 2
    assert "pip install 'relrep[web]'" in capsys.readouterr().err
