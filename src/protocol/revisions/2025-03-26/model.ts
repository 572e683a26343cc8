/** What 2025-03-26 changed: audio, tool annotations, completions as a capability, a text on progress. */
import { revise } from '../../model/model.ts';
import { boolean, just, kinds, open, record, string } from '../../model/shape.ts';
import { model as previous } from '../2024-11-05/model.ts';

export const model = revise(previous, {
  add: {
    AudioContent: record({ type: just('audio'), data: string, mimeType: string, 'annotations?': 'Annotations' }),
    ToolAnnotations: record({
      'title?': string,
      'readOnlyHint?': boolean,
      'destructiveHint?': boolean,
      'idempotentHint?': boolean,
      'openWorldHint?': boolean,
    }),
  },
  extend: {
    ProgressNotificationParams: { 'message?': string },
    ServerCapabilities: { 'completions?': open },
    Tool: { 'annotations?': 'ToolAnnotations' },
  },
  replace: {
    ContentBlock: kinds('TextContent', 'ImageContent', 'AudioContent', 'EmbeddedResource'),
    SamplingContent: kinds('TextContent', 'ImageContent', 'AudioContent'),
  },
});
