/** A vitest reporter that prints every skipped test with its reason, the figures that tests annotate, and errors outside tests. */
export default class Skips {
  onTestRunEnd(modules, unhandledErrors) {
    for (const { stack, message, VITEST_TEST_PATH: path } of unhandledErrors)
      console.log(`failed: outside the tests of ${path}: ${(stack ?? message).split('\n').slice(0, 8).join('\n  ')}`);
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = test.result().note ?? 'no reason given';
        console.log(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${reason}`);
      }
      for (const test of module.children.allTests('passed'))
        for (const { type, message } of test.annotations()) if (type === 'figure') console.log(`figure: ${message}`);
    }
  }
}
