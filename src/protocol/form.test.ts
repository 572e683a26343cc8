import { describe, expect, it } from 'vitest';
import { formProblem, withFormDefaults } from './form.ts';
import type { RequestedSchema } from './generated/types/records.ts';

const schema: RequestedSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 4, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    moment: { type: 'string', format: 'date-time' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    share: { type: 'number', default: 0.5 },
    member: { type: 'boolean', default: false },
    size: { type: 'string', enum: ['S', 'L'] },
    colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
    days: { type: 'array', items: { type: 'string', enum: ['mo', 'tu', 'we'] }, minItems: 1, maxItems: 2 },
    tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  },
  required: ['name'],
};

describe('What a user filled in', () => {
  it.each([
    [{ name: 'Ada' }],
    [{ name: 'äöü😀' }],
    [{ name: 'Ada', mail: 'a@b', site: 'a:b', day: '2024-02-29', moment: '2024-02-29T12:00:00.5+01:00' }],
    [{ name: 'Ada', age: 0, share: 0.25, member: true, size: 'L', colour: 'r', days: ['mo', 'we'], tags: [] }],
    [{ name: 'Ada', more: 'than was asked' }],
  ])('fits the form: %j', (content) => {
    expect(formProblem(schema, content)).toBeUndefined();
  });

  it.each([
    [undefined, 'content: expected an object'],
    [[], 'content: expected an object'],
    [{}, 'name: is required'],
    [{ name: 5 }, 'name: expected text'],
    [{ name: 'A' }, 'name: expected at least 2 characters'],
    [{ name: 'Adaaa' }, 'name: expected at most 4 characters'],
    [{ name: 'Ada', mail: 'ada' }, 'mail: expected email'],
    [{ name: 'Ada', site: 'not a uri' }, 'site: expected uri'],
    [{ name: 'Ada', day: '2023-02-29' }, 'day: expected date'],
    [{ name: 'Ada', moment: '2024-02-30T00:00:00Z' }, 'moment: expected date-time'],
    [{ name: 'Ada', moment: '2024-02-01 00:00' }, 'moment: expected date-time'],
    [{ name: 'Ada', age: 1.5 }, 'age: expected a whole number'],
    [{ name: 'Ada', age: -1 }, 'age: expected at least 0'],
    [{ name: 'Ada', age: 151 }, 'age: expected at most 150'],
    [{ name: 'Ada', share: '1' }, 'share: expected a number'],
    [{ name: 'Ada', member: 'yes' }, 'member: expected true or false'],
    [{ name: 'Ada', size: 'M' }, 'size: expected one of "S", "L"'],
    [{ name: 'Ada', colour: 'Red' }, 'colour: expected one of "r"'],
    [{ name: 'Ada', days: 'mo' }, 'days: expected a list of choices'],
    [{ name: 'Ada', days: ['su'] }, 'days: expected one of "mo", "tu", "we"'],
    [{ name: 'Ada', days: [] }, 'days: expected at least 1 choices'],
    [{ name: 'Ada', days: ['mo', 'tu', 'we'] }, 'days: expected at most 2 choices'],
    [{ name: 'Ada', tags: ['b'] }, 'tags: expected one of "a"'],
  ])('does not fit the form, and the field is named: %j', (content, problem) => {
    expect(formProblem(schema, content)).toBe(problem);
  });

  it('is not filled in by what every object inherits', () => {
    const tricky: RequestedSchema = {
      type: 'object',
      properties: { toString: { type: 'string' } } as RequestedSchema['properties'],
      required: ['toString'],
    };
    expect(formProblem(tricky, {})).toBe('toString: is required');
  });

  it('gets the defaults of fields that were left out, and keeps what was filled in', () => {
    expect(withFormDefaults(schema, { member: true })).toEqual({ name: 'Ada', share: 0.5, member: true });
  });
});
