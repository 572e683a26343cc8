/** Rules of the options of an HTTP target. */
import { has, type Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';

export const targetUrl: Rule = {
  holds: (value) => typeof value === 'string' || value instanceof URL,
  must: "be a URL in full, such as 'https://example.com/mcp'",
};

export const targetHeaders: Rule = { holds: isRecord, must: "be an object such as { authorization: 'Bearer …' }" };

export const targetAuth: Rule = {
  holds: (value) => has(value, 'forServer'),
  must: 'be what oauth({ … }) of tenon/auth returns',
};
