/** A vitest reporter that prints every skipped test with its reason, and the figures that tests annotate. */
export default class Skips {
  onTestRunEnd(modules) {
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
