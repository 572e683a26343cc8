/** The prompts of the fixture. */
import { prompt } from 'tenon';
import { z } from 'zod';
import { png } from './samples.ts';

export const prompts = {
  test_simple_prompt: prompt(
    { description: 'A prompt without arguments' },
    () => 'This is a simple prompt for testing.',
  ),
  test_prompt_with_arguments: prompt(
    {
      description: 'A prompt with two arguments',
      argsSchema: z.object({ arg1: z.string(), arg2: z.string() }),
      complete: { arg1: (typed) => ['test1', 'test2', 'other'].filter((value) => value.startsWith(typed)) },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ),
  test_prompt_with_embedded_resource: prompt(
    { description: 'A prompt with a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  ),
  test_prompt_with_image: prompt({ description: 'A prompt with an image' }, () => [
    { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ]),
};
