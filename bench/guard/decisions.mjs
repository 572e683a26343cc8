/** One subject: decisions of a policy of 100 rules about 1,000 tools. */
import { createPolicy } from '../../dist/guard.js';

const toolOf = (n) => `team${n % 100}_tool${n}`;
const tools = Array.from({ length: 1000 }, (_, n) => toolOf(n));
const principal = {
  key: '["i","ada"]',
  issuer: 'i',
  subject: 'ada',
  client: undefined,
  scopes: ['scope1', 'scope3'],
  roles: [],
  claims: {},
  expiresAt: undefined,
};

/** A tenth of the rules deny. */
function policyOf({ names, when }) {
  const rules = Array.from({ length: 100 }, (_, n) => ({
    id: `r${n}`,
    [n % 10 === 0 ? 'deny' : 'allow']: ['list', 'call'],
    to: { scope: `scope${n % 7}` },
    on: { tool: names === 'exact' ? tools.filter((_tool, at) => at % 100 === n) : `team${n}_*` },
    ...(when === true && { when: 'args.env != "prod"' }),
  }));
  return createPolicy(JSON.stringify({ version: 1, rules }));
}

export function prepare(job) {
  if (job.kind === 'map') {
    const known = new Map(tools.map((tool) => [tool, 'allow']));
    return {
      unit: 1000,
      batch: (n) => repeat(n, () => tools.filter((tool) => known.get(tool) === 'allow').length, 1000),
    };
  }
  const policy = policyOf(job);
  const requests = tools.map((tool) => ({ principal, action: 'call', target: { tool }, arguments: { env: 'test' } }));
  if (job.kind === 'list') {
    const visible = () => tools.filter((tool) => policy.visible({ principal, target: { tool } })).length;
    return { batch: (n) => repeat(n, visible, visible()) };
  }
  const allowed = () => requests.filter((request) => policy.decide(request).effect === 'allow').length;
  return { unit: 1000, batch: (n) => repeat(n, allowed, allowed()) };
}

function repeat(n, run, expected) {
  for (let at = 0; at < n; at += 1) if (run() !== expected) throw new Error('another decision than before');
}
