// A real Chromium that computes on SwiftShader, so that it needs no GPU.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export async function openBrowser() {
  const profile = mkdtempSync(path.join(os.tmpdir(), "highwater-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    ignoreDefaultArgs: ["--headless", "--enable-unsafe-swiftshader"],
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--enable-unsafe-webgpu",
      "--use-webgpu-adapter=swiftshader",
      // Nothing is fetched from anywhere else.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
    ],
  });
  return {
    profile,
    async open(url) {
      const page = await context.newPage();
      page.on("console", (message) => {
        if (message.type() === "error") console.error(`[page] ${message.text()}`);
      });
      page.on("pageerror", (error) => console.error(`[page] ${error.stack}`));
      await page.goto(url);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
