/** Some scenarios of the official suite, run through a gateway; `npm run conformance -- gateway` runs all of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { scenariosIn } from '../../scripts/conformance/results.ts';
import { summarize } from '../../scripts/conformance/summary.ts';
import { requires } from '../kit/requires.ts';
import { exchangeVersion, sessionVersions } from '../kit/version-order.ts';

interface Suite {
  runScenario(url: string, revision: string, scenario: string): Promise<{ readonly output: string }>;
}

// They are plain programs.
const { installSuite } = (await import('../../scripts/conformance/suite.mjs' as string)) as {
  installSuite(into: string): Promise<Suite>;
};
const { startGateway } = (await import('../../scripts/conformance/fixture.mjs' as string)) as {
  startGateway(revision: string, transport: string): Promise<{ readonly url: string; stop(): Promise<void> }>;
};

const session = sessionVersions.at(-1) as string;
const results = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
let suite: Suite | undefined;
let missing: string | undefined;

beforeAll(async () => {
  suite = await installSuite(results).catch((error: Error) => {
    missing = `the official suite: ${error.message.trim().split('\n').at(-1)}`;
    return undefined;
  });
}, 300_000);
afterAll(() => rmSync(results, { recursive: true, force: true }));

it.for([
  {
    caller: session,
    upstream: exchangeVersion,
    transport: 'HTTP',
    scenarios: [
      'tools-list',
      'tools-call-elicitation',
      'tools-call-sampling',
      'tools-call-with-logging',
      'resources-subscribe',
    ],
  },
  {
    caller: exchangeVersion,
    upstream: session,
    transport: 'stdio',
    scenarios: [
      'tools-call-with-progress',
      'input-required-result-multi-round',
      'input-required-result-tampered-state',
      'prompts-get-with-args',
    ],
  },
])(
  'passes for a caller of $caller behind a gateway that speaks $upstream by $transport',
  { timeout: 120_000 },
  async (one, context) => {
    requires(context, missing);
    const { caller, upstream, transport, scenarios } = one;
    const gateway = await startGateway(upstream, transport);
    onTestFinished(() => gateway.stop());
    for (const scenario of scenarios) await suite?.runScenario(gateway.url, caller, scenario);
    const { lines, passed } = summarize(scenariosIn('gateway', caller, scenarios, results), {});
    expect({ lines, passed }).toEqual({ lines: [], passed: scenarios.length });
  },
);
