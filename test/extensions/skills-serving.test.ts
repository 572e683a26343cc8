/** Skills on a server, at every revision. */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type ProtocolVersion } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { readSkillsFolder } from 'tenon/skills';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type SkillFiles,
  type SkillsOptions,
  serveSkills,
  skillsExtension,
} from '../../src/extensions/skills/index.ts';
import { connectRecorded } from '../kit/transport/recorded-connection.ts';
import { isSession } from '../kit/version-order.ts';
import { files, forms, manifest, pdf, refunds } from './skill-files.ts';

const { list, get, directory } = skillsExtension.methods;
const cache = { ttlMs: 1000, scope: 'public' } as const;
const skillsServer = async (given: SkillFiles = files, options: SkillsOptions = { cache }) =>
  createServer({ name: 's', version: '1', extensions: [await serveSkills(given, options)] });
const sha = (bytes: string | Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe.each(protocolVersions)('skills at %s', (revision: ProtocolVersion) => {
  const options = { protocolVersions: [revision], extensions: [skillsExtension] };

  it('are declared with their settings, and resources with them [ext-skills-01]', async () => {
    await using client = await connect(await skillsServer(), options);
    expect(client.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } });
    expect(client.capabilities.resources).toBeDefined();
  });

  it('are listed with frontmatter and every file once, nested ones included [ext-skills-03, ext-skills-11, ext-skills-15, ext-skills-16]', async () => {
    await using client = await connect(await skillsServer(), options);
    const { skills: found } = await client.request(list, {});
    expect(found.map(({ uri }) => uri)).toEqual([pdf, 'skill://pdf-processing/nested/SKILL.md', refunds]);
    expect(found[0]).toEqual({
      uri: pdf,
      frontmatter: {
        name: 'pdf-processing',
        description: 'What pdf-processing does',
        license: 'MIT',
        'allowed-tools': 'Bash',
        metadata: { version: '2.1.0' },
      },
      resources: Object.entries(files)
        .filter(([path]) => path.startsWith('pdf-processing/'))
        .map(([path, body]) => ({ uri: `skill://${path}`, digest: sha(body), size: Buffer.from(body).length })),
    });
  });

  it('are returned by URI, listed or not, and an unknown one is refused [ext-skills-22, ext-skills-23]', async () => {
    await using client = await connect(await skillsServer(files, { unlisted: ['acme/billing/refunds'] }), options);
    expect((await client.request(list, {})).skills.map(({ uri }) => uri)).not.toContain(refunds);
    expect((await client.request(get, { uri: refunds })).skill.frontmatter.name).toBe('refunds');
    await expect(client.request(get, { uri: 'skill://nothing/SKILL.md' })).rejects.toMatchObject({ code: -32602 });
  });

  it('are listed as resources with the name and description of their manifests, and read unchanged [ext-skills-08]', async () => {
    await using client = await connect(await skillsServer(), options);
    const listed = (await client.resources.list().all()).find(({ uri }) => uri === refunds);
    expect(listed).toMatchObject({ name: 'refunds', description: 'What refunds does', mimeType: 'text/markdown' });
    const { contents } = await client.resources.read(refunds);
    expect(contents).toEqual([{ uri: refunds, mimeType: 'text/markdown', text: manifest('refunds') }]);
    const image = await client.resources.read('skill://pdf-processing/assets/logo.png');
    expect(image.contents).toMatchObject([{ mimeType: 'image/png', blob: 'iVBOR/8=' }]);
  });

  it('have directories that list their direct children, and other URIs are refused as directories [ext-skills-25]', async () => {
    await using client = await connect(await skillsServer(), options);
    const { resources } = await client.request(directory, { uri: 'skill://pdf-processing' });
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      [pdf, 'text/markdown'],
      ['skill://pdf-processing/references', 'inode/directory'],
      ['skill://pdf-processing/assets', 'inode/directory'],
      ['skill://pdf-processing/nested', 'inode/directory'],
    ]);
    expect((await client.request(directory, { uri: 'skill://acme' })).resources).toHaveLength(1);
    for (const uri of [forms, 'skill://nothing'])
      await expect(client.request(directory, { uri })).rejects.toMatchObject({ code: -32602 });
  });

  it('are paginated, and a cursor of another list is refused', async () => {
    await using client = await connect(await skillsServer(files, { pageSize: 1 }), options);
    const first = await client.request(list, {});
    expect(first.skills).toHaveLength(1);
    const cursor = first.nextCursor ?? '';
    expect((await client.request(list, { cursor })).skills).toHaveLength(1);
    const elsewhere = client.request(directory, { uri: 'skill://pdf-processing', cursor });
    await expect(elsewhere).rejects.toMatchObject({ code: -32602 });
  });

  it('are served to a client that declared nothing', async () => {
    const { client, received } = await connectRecorded(await skillsServer(), { protocolVersions: [revision] });
    const { contents } = await client.resources.read(pdf);
    expect(contents).toHaveLength(1);
    expect(JSON.stringify(received)).toContain('io.modelcontextprotocol/skills');
    await client.close();
  });

  it('have cache fields only in the revision that defines them [ext-skills-12]', async () => {
    const { client, received } = await connectRecorded(await skillsServer(), options);
    await client.request(list, {});
    const hasCacheFields = JSON.stringify(received.at(-1)).includes('"ttlMs":1000,"cacheScope":"public"');
    expect(hasCacheFields).toBe(!isSession(revision));
    await client.close();
  });
});

describe('a skill with a file that is generated when it is read', () => {
  it('has "dynamic" instead of digests [ext-skills-17]', async () => {
    const made = { 'made/SKILL.md': manifest('made'), 'made/now.txt': async () => 'now' };
    await using client = await connect(await skillsServer(made), { extensions: [skillsExtension] });
    const { skill } = await client.request(get, { uri: 'skill://made/SKILL.md' });
    expect(skill.resources).toBe('dynamic');
    expect((await client.resources.read('skill://made/now.txt')).contents).toMatchObject([{ text: 'now' }]);
  });
});

describe('an invalid skill', () => {
  it.each<[string, SkillFiles]>([
    ['a name that differs from its directory', { 'one/SKILL.md': manifest('two') }],
    ['a manifest without frontmatter', { 'one/SKILL.md': 'Do it.' }],
    ['a manifest without a description', { 'one/SKILL.md': '---\nname: one\n---\n' }],
    ['a manifest with invalid YAML', { 'one/SKILL.md': '---\nname: [one\n---\n' }],
    ['an invalid name', { 'One/SKILL.md': manifest('One') }],
    ['a file outside of any skill', { 'one/SKILL.md': manifest('one'), 'two/README.md': '' }],
    ['a path with ..', { 'one/SKILL.md': manifest('one'), 'one/../two.md': '' }],
    ['a file in no directory', { 'SKILL.md': manifest('one') }],
    ['a manifest that is generated when it is read', { 'one/SKILL.md': () => manifest('one') }],
    [
      'a skill over the size limit of hosts',
      { 'one/SKILL.md': manifest('one'), 'one/big': new Uint8Array(17 * 1024 * 1024) },
    ],
  ])('(%s) is refused with its path [ext-skills-02, ext-skills-04]', async (_, given) => {
    await expect(serveSkills(given)).rejects.toMatchObject({
      code: 'invalid-definition',
      details: { path: expect.stringMatching(/./) },
    });
  });

  it('with the URI of an existing resource is refused', async () => {
    const { resource } = await import('tenon');
    const served = await serveSkills(files);
    const resources = { [pdf]: resource({}, () => 'mine') };
    expect(() => createServer({ name: 's', version: '1', resources, extensions: [served] })).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
  });
});

describe('a folder of skills', () => {
  it('is read without hidden files and without following symbolic links', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-skills-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'one/.git'), { recursive: true });
    writeFileSync(join(folder, 'one/SKILL.md'), manifest('one'));
    writeFileSync(join(folder, 'one/.git/config'), 'secret');
    symlinkSync('/etc/hostname', join(folder, 'one/host'));
    const found = await readSkillsFolder(folder);
    expect(Object.keys(found)).toEqual(['one/SKILL.md']);
    await using client = await connect(await skillsServer(found), { extensions: [skillsExtension] });
    expect((await client.request(list, {})).skills).toMatchObject([{ uri: 'skill://one/SKILL.md' }]);
  });

  it.each([
    ['does not exist', 'no-such-folder'],
    ['is not a folder', 'package.json'],
  ])('that %s is rejected with its path and a hint', async (problem, folder) => {
    await expect(readSkillsFolder(folder)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`readSkillsFolder(): ${folder} ${problem}. Pass the path of the folder`),
    });
  });
});
