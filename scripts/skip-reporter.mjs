/** A vitest reporter that prints every skipped test with its reason. */
export default class Skips {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = test.result().note ?? 'no reason given';
        console.log(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${reason}`);
      }
    }
  }
}
