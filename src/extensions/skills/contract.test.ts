import { describe, expect, it } from 'vitest';
import { isName, rootOf, segmentOf } from './contract.ts';

describe('the name of a skill', () => {
  it.each(['a', 'pdf-processing', 'a1-2b', 'x'.repeat(64)])('can be %j', (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each(['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'x'.repeat(65), 3, undefined])('cannot be %j', (name) => {
    expect(isName(name)).toBe(false);
  });
});

describe('the directory of a skill', () => {
  it('is where its manifest lies, under whichever scheme [ext-skills-07]', () => {
    expect(rootOf('skill://acme/refunds/SKILL.md')).toBe('skill://acme/refunds');
    expect(rootOf('github://owner/repo/skills/refunds/SKILL.md')).toBe('github://owner/repo/skills/refunds');
    expect(segmentOf('skill://acme/refunds')).toBe('refunds');
  });

  it.each(['skill://SKILL.md', 'skill://a/b.md', 'a/SKILL.md', 'skill://a/skill.md', ''])(
    'is not recognised in %j',
    (uri) => {
      expect(rootOf(uri)).toBeUndefined();
    },
  );
});
