/** Each rule of `tenon check`: what it finds, and what it leaves alone. */
import { describe, expect, it } from 'vitest';
import { type CheckToolsOptions, checkTools, ruleNames, unknownRule } from './check-tools.ts';
import type { CheckedTool } from './cost.ts';
import { callExamples } from './example-calls.ts';

const toolNamed = (name: string, more: Partial<CheckedTool> = {}): CheckedTool => ({
  name,
  description: `What ${name} returns in ${[...name].reverse().join('')}.`,
  inputSchema: { type: 'object' },
  ...more,
});

/** `rule tool` of each finding. */
const found = (tools: readonly CheckedTool[], options: CheckToolsOptions = {}): string[] =>
  checkTools(tools, options).findings.map(({ rule, tool = '' }) => `${rule} ${tool}`.trim());

const withArguments = (name: string, inputSchema: object, description = 'Does something useful.'): CheckedTool =>
  toolNamed(name, { description, inputSchema: inputSchema as CheckedTool['inputSchema'] });

describe('the cost', () => {
  it('is about a token for four characters of name, description, input schema and instructions', () => {
    const { tokens, tools, instructions } = checkTools([toolNamed('add')], { instructions: 'Call add.' });
    expect(instructions).toBe(3);
    expect(tools).toEqual([{ name: 'add', tokens: expect.any(Number) }]);
    expect(tokens).toBe(3 + (tools[0]?.tokens ?? 0));
  });

  it('over the budget is an error that names the largest tools, and none within it', () => {
    const tools = [toolNamed('small'), toolNamed('large', { description: 'x '.repeat(300) })];
    const { findings, tokens } = checkTools(tools, { budget: 100 });
    expect(findings[0]).toMatchObject({
      rule: 'over-budget',
      level: 'error',
      fix: expect.stringMatching(/`large`, `small`/),
    });
    expect(found(tools, { budget: tokens })).toEqual([]);
  });

  it('of one tool is a warning where it is very large', () => {
    expect(
      found([withArguments('huge', { type: 'object', properties: { a: { enum: Array(1000).fill('abc') } } })]),
    ).toContain('tool-large huge');
  });
});

describe('descriptions', () => {
  it('that are missing or empty are errors, and that only repeat the name a note', () => {
    const { description: _, ...bare } = toolNamed('bare');
    expect(found([bare, toolNamed('blank', { description: ' \n' })])).toEqual([
      'description-missing bare',
      'description-missing blank',
    ]);
    expect(found([toolNamed('getUsers', { description: 'Gets a user.' })])).toEqual([
      'description-repeats-name getUsers',
    ]);
  });

  it('over 1024 characters are warnings', () => {
    expect(found([toolNamed('long', { description: `Reads. ${'x'.repeat(1020)}` })])).toEqual([
      'description-long long',
    ]);
  });

  it('of two tools that are equal or nearly so are warnings, unless each has a word of its own name', () => {
    const text = 'Returns all entries of the account that the user has opened during the last month';
    const [one, two] = [toolNamed('alpha', { description: text }), toolNamed('beta', { description: `${text}!` })];
    expect(found([one, two])).toEqual(['descriptions-alike beta']);
    const nouns = ['issues', 'projects'].map((noun) =>
      toolNamed(`list_${noun}`, {
        description: `Lists the ${noun} of a workspace, newest first, with state and owner of each one.`,
      }),
    );
    expect(found(nouns)).toEqual([]);
  });

  it('are compared for a thousand tools, and equal ones beyond that', () => {
    const many = Array.from({ length: 1500 }, (_, at) =>
      toolNamed(`t${at}`, { description: `Topic a${at} b${at} c${at}.` }),
    );
    expect(found([...many, toolNamed('last', { description: 'Topic a1400 b1400 c1400.' })])).toEqual([
      'descriptions-alike last',
    ]);
  });
});

describe('names', () => {
  it('with characters that model APIs refuse are warnings', () => {
    expect(found([toolNamed('files.read')])).toEqual(['name-characters files.read']);
    expect(found([toolNamed('')])).toEqual(['name-characters']);
    expect(checkTools([toolNamed('smile_😀')]).findings[0]?.text).toMatch(/^The name has `😀`\./);
  });

  it('that are equal once characters are replaced are errors, and that differ in case warnings', () => {
    expect(found([toolNamed('a.b'), toolNamed('a_b')])).toContain('name-collision a.b');
    expect(found([toolNamed('getUser'), toolNamed('get_user')])).toEqual(['names-alike getUser']);
    expect(found([toolNamed('same'), toolNamed('same')])).toContain('name-collision same');
  });

  it('that are too long with the name of the server are warnings', () => {
    const name = 'x'.repeat(60);
    expect(found([toolNamed(name)], { server: 'ab' })).toEqual([]);
    expect(found([toolNamed(name)], { server: 'abc' })).toEqual([`name-long ${name}`]);
  });
});

describe('hints', () => {
  it.each([
    ['delete_file', { readOnlyHint: true }],
    ['files-remove', { destructiveHint: false }],
    ['anything', { readOnlyHint: true, destructiveHint: true }],
  ])('contradict: %s with %o', (name, annotations) => {
    expect(found([toolNamed(name, { annotations })])).toEqual([`hints-contradict ${name}`]);
  });

  it.each([
    ['delete_file', { destructiveHint: true }],
    ['delete_file', {}],
    ['list_delete_markers', { readOnlyHint: true }],
    ['get_deleted', { readOnlyHint: true }],
  ])('are fine: %s with %o', (name, annotations) => {
    expect(found([toolNamed(name, { annotations })])).toEqual([]);
  });
});

describe('arguments', () => {
  const text = { type: 'string' };

  it('that are required and described nowhere are notes', () => {
    const schema = { type: 'object', properties: { q: text, unit: text }, required: ['q'] };
    expect(found([withArguments('search', schema)])).toEqual(['arguments-undescribed search']);
    expect(found([withArguments('search', schema, 'Searches for q.')])).toEqual([]);
    const described = {
      type: 'array',
      items: { type: 'object', properties: { a: { ...text, description: 'A name' } } },
    };
    expect(
      found([withArguments('add', { type: 'object', properties: { all: described }, required: ['all'] })]),
    ).toEqual([]);
  });

  it('that are required and not defined are warnings', () => {
    expect(found([withArguments('search', { type: 'object', required: ['q'] })])).toEqual(['required-unknown search']);
  });
});

describe('schemas', () => {
  it('with a union at the root are errors for all providers', () => {
    const { findings } = checkTools([
      withArguments('send', {
        type: 'object',
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        properties: { a: {}, b: {} },
      }),
    ]);
    expect(findings).toEqual([
      expect.objectContaining({
        rule: 'schema-rejected',
        level: 'error',
        text: 'Anthropic, OpenAI and Gemini do not accept anyOf at the root.',
      }),
    ]);
  });

  it('with features that Gemini alone does not accept are notes that name the first place', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } };
    expect(checkTools([withArguments('read', schema)]).findings).toEqual([
      expect.objectContaining({
        rule: 'schema-rejected',
        level: 'note',
        text: 'Gemini does not accept $ref (/properties/a/$ref).',
      }),
    ]);
  });

  it('with an array without items are errors for OpenAI and Gemini', () => {
    const tags = { type: 'array', description: 'Words' };
    const schema = { type: 'object', properties: { tags } };
    expect(checkTools([withArguments('read', schema)]).findings).toEqual([
      expect.objectContaining({
        rule: 'schema-rejected',
        level: 'error',
        text: 'OpenAI and Gemini do not accept an array without items (/properties/tags).',
      }),
    ]);
    // The specification recommends this form for a tool without arguments: every client changes it.
    const none = { type: 'object', additionalProperties: false };
    expect(checkTools([withArguments('read', none)]).findings).toEqual([]);
  });

  it('are named in sentences, and their places are cut', () => {
    const lost = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } };
    expect(checkTools([withArguments('lost', lost)]).findings[0]?.text).toBe(
      'Anthropic, OpenAI and Gemini do not accept the reference #/$defs/none that is not in the schema (/properties/a/$ref).',
    );
    const long = { type: 'object', properties: { ['x'.repeat(5000)]: { type: 'string' } } };
    expect(checkTools([withArguments('long', long)]).findings[0]?.text).toMatch(
      /^Anthropic does not accept the name of an argument \(\/properties\/x{108}\)\.$/,
    );
  });

  it('that no provider can take are errors', () => {
    expect(found([withArguments('wrong', { type: 'object', properties: { a: { type: 'text' } } })])).toEqual([
      'schema-unusable wrong',
    ]);
  });
});

describe('examples', () => {
  it('whose result is over the budget, or an error, are errors', async () => {
    const called = await callExamples(
      { a: [{ n: 1 }, { n: 2 }], b: [{}] },
      async (name, { n }) => ({
        content: [{ type: 'text', text: 'x'.repeat(n === 2 ? 60 : 4) }],
        ...(name === 'b' && { isError: true }),
      }),
      10,
    );
    expect(called.results).toEqual([
      { tool: 'a', tokens: 1 },
      { tool: 'a', tokens: 15 },
      { tool: 'b', tokens: 1 },
    ]);
    expect(found([toolNamed('a'), toolNamed('b')], { called })).toEqual(['result-large a', 'example-failed b']);
  });
});

describe('ignore', () => {
  it('leaves out a rule, or a rule for one tool', () => {
    const tools = ['a', 'b'].map((name) => toolNamed(name, { description: '' }));
    expect(found(tools, { ignore: ['description-missing:a'] })).toEqual(['description-missing b']);
    expect(found(tools, { ignore: ['description-missing'] })).toEqual([]);
  });

  it('knows its rules', () => {
    expect(unknownRule(['tool-large', 'name-long:x'])).toBeUndefined();
    expect(unknownRule(['tool-large', 'nothing:x'])).toBe('nothing');
    expect(ruleNames).toContain('hints-contradict');
  });
});
