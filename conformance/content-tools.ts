/** Tools that return each type of content, and tools that send notifications while they run. */
import { setTimeout as after } from 'node:timers/promises';
import { content, tool } from 'tenon';
import { png, wav } from './samples.ts';

/** The pause between two notifications. */
const stepMs = 50;

export const contentTools = {
  test_simple_text: tool({ description: 'Returns a text' }, () => 'This is a simple text response for testing.'),
  test_image_content: tool({ description: 'Returns an image' }, () =>
    content({ type: 'image', data: png, mimeType: 'image/png' }),
  ),
  test_audio_content: tool({ description: 'Returns audio' }, () =>
    content({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  ),
  test_embedded_resource: tool({ description: 'Returns a resource' }, () =>
    content({
      type: 'resource',
      resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' },
    }),
  ),
  test_multiple_content_types: tool({ description: 'Returns a text, an image and a resource' }, () =>
    content(
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ),
  ),
  test_error_handling: tool({ description: 'Fails' }, () => {
    throw new Error('This tool fails on purpose');
  }),
};

export const notifyingTools = {
  test_tool_with_logging: tool({ description: 'Logs three lines while it runs' }, async (_given, ctx) => {
    ctx.log('info', 'Tool execution started');
    await after(stepMs);
    ctx.log('info', 'Tool processing data');
    await after(stepMs);
    ctx.log('info', 'Tool execution completed');
    return 'Logged three lines';
  }),
  test_tool_with_progress: tool({ description: 'Reports progress' }, async (_given, ctx) => {
    ctx.reportProgress(0, 100, 'Completed step 0 of 100');
    await after(stepMs);
    ctx.reportProgress(50, 100, 'Completed step 50 of 100');
    await after(stepMs);
    ctx.reportProgress(100, 100, 'Completed step 100 of 100');
    return 'Completed all steps';
  }),
  test_logging_tool: tool({ description: 'Logs a line, where a log level is set' }, (_given, ctx) => {
    ctx.log('info', 'This is sent only where a log level is set');
    return 'Logged a line';
  }),
  test_reconnection: tool(
    { description: 'Closes the stream, and returns its result after the client has resumed it' },
    async (_given, ctx) => {
      ctx.closeStream({ retryMs: stepMs });
      await after(2 * stepMs);
      return 'The client has resumed the stream';
    },
  ),
};
