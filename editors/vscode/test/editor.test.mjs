// The packaged extension in a real VS Code, against the real server. ROLEBOOK_CODE_SERVER and ROLEBOOK_CHROMIUM name
// the programs; scripts/editors/install-code-server.sh installs the first.

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openWindow } from "./window.mjs";

const { ROLEBOOK_CODE_SERVER: codeServer, ROLEBOOK_CHROMIUM: browser } = process.env;
const skip = !(codeServer && browser) && "ROLEBOOK_CODE_SERVER or ROLEBOOK_CHROMIUM names no program";

const FILE = "analyst.agent.yaml";
const LINES = [
  "name: analyst",
  "descripton: Reads the figures.",
  "instruction: Analyze the data of {company} for {quarter}.",
  "state:",
  "  quarter: Q3",
  "rehearsal:",
  "  - say: Sales rose in {quarter}.",
];

test("a definition is checked, mended, shown and run", { skip, timeout: 300_000 }, async (t) => {
  const { page, configure, close } = await openWindow({ codeServer, browser, files: { [FILE]: LINES.join("\n") } });
  t.after(close);
  const squiggles = page.locator(".squiggly-error, .squiggly-warning");

  const step = (name, body) =>
    t.test(name, async () => {
      try {
        await body();
      } catch (error) {
        const picture = join(tmpdir(), "rolebook-vscode-failure.png");
        await page.screenshot({ path: picture });
        error.message += `\nThe window at that moment: ${picture}`;
        throw error;
      }
    });

  await step("nothing of a workspace is started before it is trusted", async () => {
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: FILE }).dblclick();
    const toast = page.locator(".notification-toast", { hasText: "only once the workspace is trusted" });
    await toast.waitFor();
    assert.equal(await squiggles.count(), 0);
    await toast.getByText("Manage Trust").click();
    await page.locator(".workspace-trust-editor").getByText("Trust", { exact: true }).click();
  });

  await step("problems are marked", async () => {
    await page.getByRole("tab", { name: FILE }).click();
    await page.locator(".squiggly-error").waitFor();
    await page.locator(".squiggly-warning").waitFor();
  });

  await step("typing mends them", async () => {
    await replace(page, "descripton", "description");
    await replace(page, "{company}", "Acme");
    await squiggles.waitFor({ state: "detached" });
  });

  await step("hover shows the static and the dynamic prompt", async () => {
    await page
      .locator(".view-line", { hasText: "name: analyst" })
      .getByText("analyst", { exact: false })
      .last()
      .hover();
    const hover = page.locator(".monaco-hover", { hasText: "You are analyst. Reads the figures." });
    await hover.filter({ hasText: "Analyze the data of Acme for Q3." }).waitFor();
  });

  await step("the run command opens a conversation", async () => {
    await command(page, "Rolebook: Run Agent");
    const terminal = page.locator(".xterm-rows");
    await terminal.waitFor();
    await page.keyboard.type("How were the sales?\n");
    await terminal.filter({ hasText: "Sales rose in Q3." }).waitFor();
  });

  await step("a wrong path is reported, and mending it starts the server again", async () => {
    configure("Machine", { "rolebook.server.path": "/nowhere/rolebook" });
    await page.locator(".notifications-toasts", { hasText: "rolebook.server.path names no program" }).waitFor();
    await replace(page, "description", "descripton");
    configure("Machine", {});
    await page.locator(".squiggly-error").waitFor();
  });
});

/** Replaces the first occurrence of a text as a user does: go there, select it, type. */
async function replace(page, old, text) {
  const line = LINES.findIndex((line) => line.includes(old));
  assert.notEqual(line, -1);
  await page.locator(".editor-instance .view-line").first().click();
  await page.keyboard.press("Control+G");
  await page.keyboard.type(`${line + 1}:${LINES[line].indexOf(old) + 1}`);
  await page.keyboard.press("Enter");
  for (const _ of old) {
    await page.keyboard.press("Shift+ArrowRight");
  }
  await page.keyboard.type(text);
  await page.keyboard.press("Escape");
  LINES[line] = LINES[line].replace(old, text);
}

async function command(page, title) {
  await page.keyboard.press("F1");
  await page.keyboard.type(title);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
}
