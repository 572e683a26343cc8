/** The skills of all servers of a host: one list, each skill read from its own server and marked with it. */
import { createServer, tool } from 'tenon';
import { createHost } from 'tenon/host';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { createHostSkills, serveSkills, skillsExtension } from '../../src/extensions/skills/index.ts';
import { files, manifest, pdf } from './skill-files.ts';

describe.each(protocolVersions)('a host at %s', (revision) => {
  const hosting = async () =>
    createHost({
      servers: {
        paper: createServer({ name: 's', version: '1', extensions: [await serveSkills(files)] }),
        // The same URI as a skill of the other server.
        other: createServer({
          name: 's',
          version: '1',
          extensions: [await serveSkills({ 'pdf-processing/SKILL.md': manifest('pdf-processing') })],
        }),
        plain: createServer({ name: 's', version: '1', tools: { a: tool({}, () => 'a') } }),
        broken: { command: 'no-such-program-anywhere' },
      },
      connectOptions: { protocolVersions: [revision], extensions: [skillsExtension], reconnect: false },
    });

  it('lists the skills of all servers, with an error only for those that fail [S30, S31]', async () => {
    await using host = await hosting();
    const { items, errors } = await createHostSkills(host).list();
    expect(items.map(({ server, uri }) => `${server} ${uri}`)).toEqual([
      `paper ${pdf}`,
      'paper skill://pdf-processing/nested/SKILL.md',
      'paper skill://acme/billing/refunds/SKILL.md',
      `other ${pdf}`,
    ]);
    expect(errors).toMatchObject([{ server: 'broken', error: { code: 'command-not-found' } }]);
  });

  it('loads a skill from its own server, by its item or its hostUri, and names the server as origin', async () => {
    await using host = await hosting();
    const skills = createHostSkills(host);
    const { items } = await skills.list();
    const [mine, theirs] = items.filter(({ uri }) => uri === pdf);
    const loaded = await skills.load(mine as NonNullable<typeof mine>);
    expect([loaded.origin, loaded.verified, loaded.requestedPermissions]).toEqual([
      'paper',
      true,
      { 'allowed-tools': 'Bash' },
    ]);
    expect(new TextDecoder().decode((await loaded.read('references/FORMS.md')).bytes)).toContain('Forms');
    const other = await skills.load(theirs?.hostUri as string);
    expect([other.origin, other.requestedPermissions, other.approvalKey === loaded.approvalKey]).toEqual([
      'other',
      {},
      false,
    ]);
    for (const wrong of [`nowhere/${pdf}`, pdf])
      await expect(skills.load(wrong)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
