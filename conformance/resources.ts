/** The resources and templates of the fixture. */
import { Buffer } from 'node:buffer';
import { resource, resourceTemplate } from 'tenon';
import { png } from './samples.ts';

export const resources = {
  'test://static-text': resource(
    { name: 'Static text', description: 'A text', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  ),
  'test://static-binary': resource({ name: 'Static binary', description: 'An image', mimeType: 'image/png' }, () =>
    Buffer.from(png, 'base64'),
  ),
  'test://watched-resource': resource(
    { name: 'Watched resource', description: 'A text to watch', mimeType: 'text/plain' },
    () => 'Watched resource content',
  ),
};

export const templates = {
  'test://template/{id}/data': resourceTemplate(
    { name: 'Data by id', description: 'Data of any id', mimeType: 'application/json' },
    ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  ),
};
