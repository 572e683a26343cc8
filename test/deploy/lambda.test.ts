/** The recipe of AWS Lambda: its bundle, run by the runtime interface client of AWS, with a service that the test plays. */
import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type ClientHandlers, connect, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { requires } from '../kit/requires.ts';
import { type Packed, pack, toolFile, whyNoTools } from '../package/matrix/project.ts';
import { recipeFile, recipeFolder } from './recipe.ts';
import { startLambdaService } from './runtime-api.ts';
import { installed, whyNotInstalled } from './tools.ts';

const missing = whyNoTools() ?? whyNotInstalled('lambda');

interface Template {
  readonly Resources: {
    readonly Weather: {
      readonly Metadata: {
        readonly BuildProperties: {
          readonly Target: string;
          readonly EntryPoints: readonly string[];
          readonly Banner: readonly string[];
        };
      };
      readonly Properties: { readonly Handler: string; readonly FunctionUrlConfig: { readonly InvokeMode: string } };
    };
  };
}

// The functions of CloudFormation are tags of YAML.
const template = parse(recipeFile('lambda', 'template.yaml').replaceAll(/!(?:Ref|GetAtt) /g, '')) as Template;
const { Metadata, Properties } = template.Resources.Weather;

let packed: Packed;
let folder: string;
beforeAll(async () => {
  packed = await pack();
  folder = (await packed.project('module', 'zod')).folder;
  await cp(recipeFolder('lambda'), folder, { recursive: true });
  const { Target: target, EntryPoints, Banner } = Metadata.BuildProperties;
  // As `sam build` does it.
  await build({
    entryPoints: EntryPoints.map((file) => join(folder, file)),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target,
    banner: { js: (Banner[0] ?? '').replace(/^js=/, '') },
    outExtension: { '.js': '.mjs' },
    outdir: join(folder, 'built'),
    logLevel: 'silent',
  });
});
afterAll(() => packed?.remove());

async function start() {
  const { id, key, hash } = await generateApiKey();
  const service = await startLambdaService();
  const { TSX_TSCONFIG_PATH: _, NODE_OPTIONS: __, ...others } = process.env;
  const env = {
    ...others,
    AWS_LAMBDA_RUNTIME_API: service.runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: 'weather',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/weather',
    AWS_LAMBDA_LOG_STREAM_NAME: 'one',
    LAMBDA_TASK_ROOT: join(folder, 'built'),
    _HANDLER: Properties.Handler,
    PUBLIC_HOST: '127.0.0.1',
    SECRET: 'a long secret of all instances, of 32 characters',
    API_KEYS: JSON.stringify([{ id, hash, subject: 'ada' }]),
  };
  const node = toolFile(`node-24-linux-${process.arch}/bin/node`);
  const args = [installed('lambda', 'aws-lambda-ric/index.mjs')];
  const child = spawn(node, args, { cwd: env.LAMBDA_TASK_ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const target = { url: service.functionUrl, headers: { authorization: `Bearer ${key}` } };
  return { ...service, target };
}

const handlers: ClientHandlers = { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) };

describe('the function of the recipe', () => {
  it('serves calls in every protocol version, and only to callers with a key', async (context) => {
    requires(context, missing);
    const { target, failures } = await start();
    for (const version of protocolVersions) {
      const client = await connect(target, { protocolVersions: [version] });
      expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
      await client.close();
    }
    await expect(connect({ url: target.url })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(failures).toEqual([]);
  });

  it.for(protocolVersions)('streams progress before the result, at %s', async (version, context) => {
    requires(context, missing);
    const { target, parts } = await start();
    const client = await connect(target, { protocolVersions: [version] });
    const progress: number[] = [];
    const onProgress = (update: { readonly progress: number }): void => void progress.push(update.progress);
    parts.length = 0;
    expect(toText(await client.tools.call('count', { to: 3 }, { onProgress }))).toBe('Counted to 3');
    expect(progress).toEqual([1, 2, 3]);
    const first = parts.findIndex((part) => part.includes('notifications/progress'));
    expect(first).toBeLessThan(parts.findIndex((part) => part.includes('Counted to 3')));
    await client.close();
    expect(Properties.FunctionUrlConfig.InvokeMode).toBe('RESPONSE_STREAM');
  });

  it('asks the user in 2026-07-28, which needs no session', async (context) => {
    requires(context, missing);
    const { target } = await start();
    const client = await connect(target, { protocolVersions: ['2026-07-28'], handlers });
    expect(toText(await client.tools.call('book'))).toBe('Booked for Friday');
    await client.close();
  });
});
