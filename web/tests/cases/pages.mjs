// The pages, used as a person would. HIGHWATER_SCREENSHOTS names a folder for pictures of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { pageFolders } from "../../tools/page-folders.mjs";
import { serve } from "../../tools/server.mjs";
import { fixture, root } from "../support/fixture.mjs";
import { native } from "../support/native.mjs";

const patience = { timeout: 150_000 };

async function picture(page, name) {
  const folder = process.env.HIGHWATER_SCREENSHOTS;
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

describe("the pages", () => {
  let server;
  before(async () => {
    // The page Search with a small model, whose numbers the native run has given.
    const folders = { ...pageFolders(root), "/search/": path.join(native, "search") };
    server = await serve(folders);
  });
  after(() => server.close());

  it("write the text of the native run, and stop when they are told to", async () => {
    const page = await fixture.browser.open(`${server.url}/`);
    await page.waitForFunction(() => document.getElementById("progress").value > 0);
    await picture(page, "write-loading");
    await page.locator("#write:not([disabled])").waitFor(patience);

    const { texts } = fixture.native("shipped");
    await page.fill("#prompt", texts[1].prompt);
    await page.locator("#temperature").fill("0");
    await page.locator("#length").fill("32");
    await page.press("#prompt", "Enter");
    await page.locator("#text[aria-busy=false] b").waitFor(patience);
    const text = await page.locator("#text").textContent();
    assert.ok(text.startsWith(texts[1].prompt + texts[1].greedy), text);
    assert.match(await page.locator("#rate").textContent(), /^\d+\.\d$/);
    assert.equal(await page.locator("#count").textContent(), "32");
    await picture(page, "write");
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, "write-phone");

    await page.locator("#length").fill("400");
    await page.click("#write");
    await page.waitForFunction(() => Number(document.getElementById("count").textContent) > 3);
    await page.click("#stop");
    await page.locator("#write:not([disabled])").waitFor(patience);
    assert.ok(Number(await page.locator("#count").textContent()) < 400);
    assert.equal(await page.locator("#error").isHidden(), true);
    await page.close();
  });

  it("look inside a file that is given to them, at other live shapes", async () => {
    const page = await fixture.browser.open(`${server.url}/inside.html`);
    await page.setInputFiles("#file", path.join(root, "build/web-native/pictures.pte"));
    await page.getByText("output0: [1, 4, 16, 16]").waitFor(patience);
    await page.locator("[id='input0.3']").fill("50");
    await page.getByText("output0: [1, 4, 16, 50]").waitFor(patience);
    assert.equal(await page.locator("#objects").textContent(), "0");
    await picture(page, "inside");

    await page.setInputFiles("#file", {
      name: "notes.pte",
      mimeType: "application/octet-stream",
      buffer: Buffer.from("not a program at all, but a text"),
    });
    await page.getByText("this is not a .pte file").waitFor(patience);
    await picture(page, "inside-error");
    await page.close();
  });

  it("search by meaning at every length, and say what to do where the model is not there", async () => {
    const page = await fixture.browser.open(`${server.url}/search.html`);
    await page.locator("#results li").first().waitFor(patience);
    const first = () => page.locator("#results li").first();
    const sentences = JSON.parse(readFileSync(path.join(root, "web/pages/sentences.json"), "utf8"));
    // Each sentence is nearest to itself, by the points that the native run has given.
    for (const [place, text] of [sentences[0], sentences[101], sentences[440]]) {
      await page.fill("#query", text);
      await page.locator(`#results[data-query=${JSON.stringify(text)}]`).waitFor(patience);
      assert.equal(await first().locator("cite").textContent(), place);
      assert.equal(await first().locator("span").textContent(), "1.00");
    }
    await page.waitForFunction(() => Number(document.getElementById("lengths").textContent) === 4);
    assert.equal(await page.locator("#objects").textContent(), "0");
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, "search-phone");
    await page.close();

    const bare = await serve({ ...pageFolders(root), "/search/": path.join(root, "build/none") });
    const missing = await fixture.browser.open(`${bare.url}/search.html`);
    await missing.getByText("./playground --search").waitFor(patience);
    await picture(missing, "search-missing");
    await missing.close();
    bare.close();
  });

  it("see a face at sizes of the frame without new buffers, and none where there is none", async () => {
    const page = await fixture.browser.open(`${server.url}/see.html`);
    await page
      .getByText(/^1 face \(\d+ %\)$/)
      .first()
      .waitFor(patience);
    for (const side of [151, 224]) {
      await page.locator("#side").fill(String(side));
      await page.getByText(new RegExp(`^${side} × `)).waitFor(patience);
      assert.match(await page.locator("#faces").textContent(), /^1 face/);
      assert.equal(await page.locator("#new-buffers").textContent(), "0");
    }
    assert.ok(Number(await page.locator("#shapes").textContent()) > 10);
    assert.ok(Number(await page.locator("#buffers").textContent()) > 10);
    await picture(page, "see");
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, "see-phone");
    await page.setInputFiles("#file", {
      name: "page.png",
      mimeType: "image/png",
      buffer: readFileSync(path.join(root, "docs/web-write.png")),
    });
    await page.getByText("No face").first().waitFor(patience);
    await page.setInputFiles("#file", {
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("no picture"),
    });
    await page.getByText("this is not a picture").waitFor(patience);
    await page.close();
  });
});
