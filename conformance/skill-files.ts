/** The skill that the suite reads. */

export const skillFiles = {
  'pdf-processing/SKILL.md': [
    '---',
    'name: pdf-processing',
    'description: Extract, fill, and assemble PDF documents',
    'license: MIT',
    'metadata:',
    '  version: 2.1.0',
    '---',
    '',
    'To fill a form, read references/FORMS.md first.',
    '',
  ].join('\n'),
  'pdf-processing/references/FORMS.md': '# Forms\n\nName every field before you fill it.\n',
};
