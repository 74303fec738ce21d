"""Tests pprofc -lsp in Neovim without a screen: diagnostics, hover, code lenses and their command, inlay hints, and the
error list of -quickfix.

  neovim.py PPROFC TESTDATA
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from maker import profile

PROGRAM = os.path.abspath(sys.argv[1])

# Neovim before 0.8 has no vim.lsp.start. Before 0.10 it displays no inlay hints, so the script requests them.
SCRIPT = """
local found = {}
local client = vim.lsp.start_client({name = 'pprofc', cmd = {PROGRAM, '-lsp', PROFILE}, root_dir = vim.fn.getcwd()})
vim.lsp.buf_attach_client(0, client)
found.diagnosed = vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 50)
found.diagnostics = vim.diagnostic.get(0)
local document = {textDocument = vim.lsp.util.make_text_document_params()}
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend('force', document, params), 20000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
found.hover = ask('textDocument/hover', {position = {line = 2, character = 0}})
found.lenses = ask('textDocument/codeLens', {})
local window = {range = {start = {line = 0, character = 0}, ['end'] = {line = 99, character = 0}}}
-- The command of a lens. Neovim before 0.9 does not show documents, so the server tells the path; a later one opens a browser.
local function tell(text) found.page = text:match('%S+/flame%.html') end
vim.lsp.handlers['window/showMessage'] = function(_, result) tell(result.message) end
vim.lsp.handlers['window/showDocument'] = function(_, result) tell(result.uri) return {success = true} end
vim.lsp.buf.execute_command(found.lenses[1].command)
vim.wait(20000, function() return found.page end, 50)
local page = io.open((found.page or ''):gsub('^file://', ''), 'r')
found.written = page and page:read('*a'):find('pprofc%-nodes') ~= nil
found.before = ask('textDocument/inlayHint', window)
vim.api.nvim_buf_set_lines(0, 0, 0, false, {'// inserted by Neovim'})
found.after = ask('textDocument/inlayHint', window)
vim.api.nvim_buf_set_lines(0, 3, 4, false, {'changed'})
found.changed = ask('textDocument/inlayHint', window)
vim.cmd('set errorformat=%f:%l:%c:\\\\ %m')
vim.cmd("cgetexpr system('" .. PROGRAM .. " -quickfix " .. PROFILE .. "')")
found.errors = {}
for _, item in ipairs(vim.fn.getqflist()) do
  table.insert(found.errors, {vim.fn.bufname(item.bufnr), item.lnum, item.col, item.text})
end
local out = io.open(RESULT, 'w')
out:write(vim.json and vim.json.encode(found) or vim.fn.json_encode(found))
out:close()
vim.lsp.stop_client(client)
vim.cmd('qa!')
"""


def lines(hints):
    return sorted(hint["position"]["line"] for hint in hints)


def main():
    if not shutil.which("nvim"):
        print("skipped: Neovim (nvim) is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "shop/cart"))
        with open(os.path.join(folder, "shop/cart/hot.go"), "w", encoding="ascii") as file:
            file.write("package main\n\nhot\n\n\n\ncall\n")
        with open(os.path.join(folder, "cpu.pb"), "wb") as out:
            out.write(profile([([("main.hot", "shop/cart/hot.go", 3), ("main.main", "shop/cart/hot.go", 7)], 90)]))
        script = SCRIPT.replace("PROGRAM", json.dumps(PROGRAM)).replace("PROFILE", json.dumps(f"{folder}/cpu.pb"))
        with open(os.path.join(folder, "run.lua"), "w", encoding="utf-8") as file:
            file.write(script.replace("RESULT", json.dumps(f"{folder}/found.json")))
        done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "shop/cart/hot.go", "-c",
                               "luafile run.lua", "-c", "cquit"], cwd=folder, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder})
        assert done.returncode == 0, done
        with open(os.path.join(folder, "found.json"), encoding="utf-8") as file:
            found = json.load(file)
    assert found["diagnosed"] and [(d["lnum"], d["severity"]) for d in found["diagnostics"]] == [(2, 4)], found
    assert found["diagnostics"][0]["message"] == "main.hot: 900ms self, 900ms total", found
    assert "called by main.main: 900ms" in found["hover"]["contents"]["value"], found
    assert len(found["lenses"]) == 2, found
    assert found.get("written"), (found.get("page"), found["lenses"])
    assert lines(found["before"]) == [2, 6] and lines(found["after"]) == [3, 7], found
    assert lines(found["changed"]) == [7], found
    assert found["errors"] == [["shop/cart/hot.go", 3, 1, "900ms self, 900ms total in main.hot"]], found["errors"]


main()
