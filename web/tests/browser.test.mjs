// All tests in a browser, in one process: what one of them has loaded is quick for the next.
import { after, before } from "node:test";
import { fixture } from "./support/fixture.mjs";

before(() => fixture.start());
after(() => fixture.stop());

await import("./cases/programs.mjs");
await import("./cases/on-device.mjs");
await import("./cases/shipped.mjs");
await import("./cases/guide.mjs");
await import("./cases/cache.mjs");
await import("./cases/trouble.mjs");
await import("./cases/faults.mjs");
await import("./cases/worker.mjs");
await import("./cases/pages.mjs");
await import("./cases/project.mjs");
await import("./cases/strict.mjs");
