/** Skills for tests: one with files beside it, and one inside another. */

export const manifest = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n\nDo it.\n`;

export const pdf = 'skill://pdf-processing/SKILL.md';
export const forms = 'skill://pdf-processing/references/FORMS.md';
export const refunds = 'skill://acme/billing/refunds/SKILL.md';

export const files = {
  'pdf-processing/SKILL.md': manifest(
    'pdf-processing',
    'license: MIT\nallowed-tools: Bash\nmetadata:\n  version: 2.1.0\n',
  ),
  'pdf-processing/references/FORMS.md': '# Forms — ümläut\n',
  'pdf-processing/assets/logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]),
  'pdf-processing/nested/SKILL.md': manifest('nested'),
  'acme/billing/refunds/SKILL.md': new TextEncoder().encode(manifest('refunds')),
};
