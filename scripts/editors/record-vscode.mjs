// Opens a file in VS Code and types an `e` into it: record-vscode.mjs SERVER FILE TEXT LINE COLUMN (both from 1)
// Types at the first line of its input and ends with its last. SERVER is the program that the extension starts in place of Rolebook.

import { once } from "node:events";
import { openWindow } from "../../editors/vscode/test/window.mjs";

const [server, file, text, line, column] = process.argv.slice(2);
const { ROLEBOOK_CODE_SERVER: codeServer, ROLEBOOK_CHROMIUM: browser = "/usr/bin/chromium" } = process.env;

const ended = once(process.stdin, "end");
const { page, configure, close } = await openWindow({ codeServer, browser, files: { [file]: text } });
try {
  configure("Machine", { "rolebook.server.path": server, "security.workspace.trust.enabled": false });
  await page.reload();
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).dblclick();
  await page.locator(".editor-instance .view-line").first().click();
  await once(process.stdin, "data");
  await page.keyboard.press("Control+G");
  await page.keyboard.type(`${line}:${column}`);
  await page.keyboard.press("Enter");
  await page.keyboard.type("e");
  await ended;
} finally {
  await close();
}
