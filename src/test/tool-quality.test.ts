/** `expectToolQuality`: a test fails where `tenon check` would exit with 1. */
import { connect, createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectToolQuality } from './tool-quality.ts';

const inputSchema = z.object({ city: z.string().describe('The name of a city') });
const good = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool({ description: 'Returns the weather of tomorrow.', inputSchema }, ({ city }) => city.repeat(100)),
  },
});
const poor = createServer({ name: 'poor', version: '1.0.0', tools: { bare: tool({}, () => '') } });

describe('expectToolQuality', () => {
  it('returns the report of a server, or of a client that stays open', async () => {
    expect(await expectToolQuality(good, { budget: 500 })).toMatchObject({ findings: [], budget: 500, tools: [{}] });
    await using client = await connect(good);
    const { tokens } = await expectToolQuality(client);
    expect(tokens).toBeGreaterThan(20);
    expect((await client.tools.list().all()).length).toBe(1);
  });

  it('rejects with the findings, and not for what is ignored', async () => {
    await expect(expectToolQuality(poor)).rejects.toMatchObject({
      code: 'tool-quality',
      message: expect.stringContaining('error description-missing bare: The tool has no description.'),
      details: { findings: [{ rule: 'description-missing' }] },
    });
    await expectToolQuality(poor, { ignore: ['description-missing:bare'] });
    await expect(expectToolQuality(good, { budget: 5 })).rejects.toMatchObject({ code: 'tool-quality' });
  });

  it('calls examples, and fails for large results', async () => {
    const examples = { forecast: [{ city: 'Oslo' }] };
    const { results } = await expectToolQuality(good, { examples });
    expect(results).toEqual([{ tool: 'forecast', tokens: 100 }]);
    await expect(expectToolQuality(good, { examples, resultBudget: 99 })).rejects.toThrow('result-large forecast');
  });

  it('fails for warnings and notes if that is wanted', async () => {
    const server = createServer({
      name: 'x',
      version: '1.0.0',
      tools: { 'files.read': tool({ description: 'Reads one.' }, () => '') },
    });
    await expectToolQuality(server);
    await expect(expectToolQuality(server, { failOn: 'warning' })).rejects.toThrow('name-characters');
  });

  it.each([
    [{ ignore: ['nothing'] }, /ignore has "nothing"/],
    [{ budget: 0 }, /budget/],
    [{ examples: { a: 1 } }, /examples must be an object of lists/],
    [{ bugdet: 1 }, /Did you mean budget\?/],
  ])('refuses the options %o', async (options, message) => {
    await expect(expectToolQuality(good, options as object)).rejects.toThrow(message);
  });
});
