import { keepThreadsAwake } from "../src/machine/pulse.ts";

// For processes of tests: imported before the test file.
keepThreadsAwake();
