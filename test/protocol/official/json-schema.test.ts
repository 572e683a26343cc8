/** The published JSON Schemas and the checkers come from one model, and accept the same values. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/protocol/model/model.ts';
import type { Check } from '../../../src/protocol/model/primitives.ts';
import type { Shape } from '../../../src/protocol/model/shape.ts';
import type { Revision } from '../../../src/protocol/revision.ts';
import { models } from '../../../src/protocol/revisions/models.ts';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { scaled } from '../../kit/long.ts';
import { createArbitrary, vocabularyOf } from './arbitrary.ts';
import { mutate, mutations } from './mutation.ts';
import type { JsonSchema } from './specification.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

const published = (id: string): { readonly $defs: Definitions } =>
  JSON.parse(readFileSync(new URL(`../../../src/protocol/generated/schema/${id}.json`, import.meta.url), 'utf8'));

interface Part {
  readonly shape: string;
  readonly check: Check;
}

const nameOf = (shape: Shape): string => {
  if (shape.is !== 'named') throw new Error('A message has params or a result without a named shape');
  return shape.name;
};

/** Every named shape that a message of the revision consists of, with its checker. */
function partsOf(revision: Revision, model: Model): Part[] {
  const parts = new Map<string, Check>();
  for (const side of ['client', 'server'] as const) {
    for (const [method, { params, result }] of revision[side].requests) {
      const message = model[side].requests[method];
      if (message === undefined) throw new Error(`${method} is in the table and not in the model`);
      parts.set(nameOf(message.params.shape), params).set(nameOf(message.result), result);
    }
    for (const [method, { params }] of revision[side].notifications) {
      const message = model[side].notifications[method];
      if (message === undefined) throw new Error(`${method} is in the table and not in the model`);
      parts.set(nameOf(message.params.shape), params);
    }
  }
  return [...parts].map(([shape, check]) => ({ shape, check }));
}

describe.each(revisions)('the published schema of $id', (revision) => {
  const { id } = revision;
  const model = models.get(id) as Model;
  const document = published(id);
  const ajv = new Ajv2020({ strict: false, logger: false }).addSchema(document, id);
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : resolve(document.$defs[schema.$ref.replace('#/$defs/', '')] as JsonSchema);
  const valid = createArbitrary(resolve);
  const changes = mutations(vocabularyOf(document.$defs));

  it.each(partsOf(revision, model))('accepts the same values of $shape as its checker', ({ shape, check }) => {
    const validate = ajv.compile({ $ref: `${id}#/$defs/${shape}` });
    const seen = new Set<boolean>();
    const agreed = fc.property(valid({ $ref: `#/$defs/${shape}` }), changes, (value, mutation) => {
      const sent = mutate(value, mutation);
      const isValid = check(sent);
      seen.add(isValid);
      expect({ sent, isValid: validate(sent) }).toEqual({ sent, isValid });
    });
    fc.assert(agreed, { seed: 7, numRuns: scaled(20, 100) });
    expect(seen.size).toBe(2);
  });
});
