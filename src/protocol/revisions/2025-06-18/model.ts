/** What 2025-06-18 changed: elicitation, structured tool results, resource links, titles, `_meta` on every record. */
import { request, revise } from '../../model/model.ts';
import {
  boolean,
  either,
  integer,
  just,
  kinds,
  list,
  map,
  number,
  open,
  record,
  string,
  word,
} from '../../model/shape.ts';
import { model as previous } from '../2025-03-26/model.ts';

const meta = { '_meta?': 'Meta' };
const title = { 'title?': string };
const labelled = { ...title, 'description?': string };

export const model = revise(previous, {
  add: {
    ResourceLink: record({
      type: just('resource_link'),
      uri: string,
      name: string,
      'description?': string,
      'mimeType?': string,
      'size?': integer,
      'annotations?': 'Annotations',
      ...title,
      ...meta,
    }),
    ToolOutputSchema: record({ type: just('object'), 'properties?': map(open), 'required?': list(string) }),
    ResourceTemplateReference: record({ type: just('ref/resource'), uri: string }),
    ElicitationCapability: record(),
    CompletionContext: record({ 'arguments?': map(string) }),

    StringSchema: record({
      type: just('string'),
      ...labelled,
      'minLength?': integer,
      'maxLength?': integer,
      'format?': word('email', 'uri', 'date', 'date-time'),
    }),
    NumberSchema: record({ type: word('number', 'integer'), ...labelled, 'minimum?': number, 'maximum?': number }),
    BooleanSchema: record({ type: just('boolean'), ...labelled, 'default?': boolean }),
    EnumSchema: record({ type: just('string'), ...labelled, enum: list(string), 'enumNames?': list(string) }),
    PrimitiveSchema: either('StringSchema', 'NumberSchema', 'BooleanSchema', 'EnumSchema'),
    RequestedSchema: record({
      type: just('object'),
      properties: map('PrimitiveSchema'),
      'required?': list(string),
    }),
    ElicitRequestParams: record({ '_meta?': 'RequestMeta', message: string, requestedSchema: 'RequestedSchema' }),
    ElicitedValue: either(string, number, boolean),
    ElicitResult: record({ ...meta, action: word('accept', 'decline', 'cancel'), 'content?': map('ElicitedValue') }),
  },
  extend: {
    Annotations: { 'lastModified?': string },
    AudioContent: meta,
    BlobResourceContents: meta,
    CallToolResult: { 'structuredContent?': open },
    ClientCapabilities: { 'elicitation?': 'ElicitationCapability' },
    CompleteRequestParams: { 'context?': 'CompletionContext' },
    EmbeddedResource: meta,
    ImageContent: meta,
    Implementation: title,
    Prompt: { ...title, ...meta },
    PromptArgument: title,
    PromptReference: title,
    Resource: { ...title, ...meta },
    ResourceTemplate: { ...title, ...meta },
    Root: meta,
    TextContent: meta,
    TextResourceContents: meta,
    Tool: { ...title, 'outputSchema?': 'ToolOutputSchema', ...meta },
  },
  replace: {
    CompletionReference: either('PromptReference', 'ResourceTemplateReference'),
    ContentBlock: kinds('TextContent', 'ImageContent', 'AudioContent', 'ResourceLink', 'EmbeddedResource'),
  },
  drop: ['ResourceReference'],
  server: {
    requests: { 'elicitation/create': request('Elicit', 'ElicitRequestParams', 'ElicitResult') },
  },
});
