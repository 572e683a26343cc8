/** Skills on a guarded server: what its resources hide, the methods of the extension hide as well. */
import { connect, createServer } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { serveSkills, skillsExtension } from '../../../src/extensions/skills/index.ts';
import { files, forms, pdf, refunds } from '../../extensions/skill-files.ts';

const { list, get, directory } = skillsExtension.methods;

const policy = createPolicy(`
version: 1
rules:
  - { id: skills, allow: [list, read], to: any, on: { resource: "skill://**" } }
  - { id: billing, deny: [list], to: any, on: { resource: "skill://acme/**" } }
  - { id: forms, deny: [list], to: any, on: { resource: "skill://pdf-processing/references/**" } }
`);

describe.each(protocolVersions)('at %s', (revision) => {
  const open = async () => {
    const cache = { ttlMs: 1000, scope: 'public' } as const;
    const extensions = [await serveSkills(files, { cache })];
    const server = createServer({ name: 's', version: '1', extensions }, { guard: guard({ policy }) });
    return connect(server, { protocolVersions: [revision], extensions: [skillsExtension] });
  };
  const refusal = (request: Promise<unknown>) => request.catch(({ message, reason }) => ({ message, reason }));

  it('a list has no hidden skill and no hidden file, and is cached for one caller only [S23]', async () => {
    await using client = await open();
    const listed = await client.request(list, {});
    expect(listed.skills.map(({ uri }) => uri)).toEqual([pdf, 'skill://pdf-processing/nested/SKILL.md']);
    expect(JSON.stringify(listed)).not.toMatch(/FORMS|refunds|"public"/);
    expect(JSON.stringify(await client.request(get, { uri: pdf }))).not.toContain(forms);
  });

  it('a hidden skill or directory gets the answer for one that does not exist [S23]', async () => {
    await using client = await open();
    for (const [method, hidden, missing] of [
      [get, refunds, 'skill://acme/none/SKILL.md'],
      [directory, 'skill://acme/billing', 'skill://acme/none'],
      [directory, 'skill://pdf-processing/references', 'skill://pdf-processing/none'],
    ] as const)
      expect(await refusal(client.request(method as typeof get, { uri: hidden }))).toEqual(
        await refusal(client.request(method as typeof get, { uri: missing })),
      );
    const { resources } = await client.request(directory, { uri: 'skill://pdf-processing' });
    expect(resources.map(({ uri }) => uri).sort()).toEqual([
      pdf,
      'skill://pdf-processing/assets',
      'skill://pdf-processing/nested',
    ]);
  });
});
