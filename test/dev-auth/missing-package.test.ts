/** What a user sees who has not installed oidc-provider: one sentence, from the command line and from the demo. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { program } from '../cli/program.ts';
import { demoArgs } from '../examples/demo-program.ts';
import { missingOidcProvider, withoutOidcProvider } from './without-oidc-provider.ts';

async function errorsOf(args: readonly string[]) {
  const env = { ...process.env, PORT: '0', ...withoutOidcProvider };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { errors, code };
}

it('tenon dev-auth names the package and the command that installs it', async () => {
  expect(await errorsOf(program('dev-auth').args)).toEqual({ errors: `tenon: ${missingOidcProvider}\n`, code: 1 });
});

it('npm start -- --auth says the same', async () => {
  expect(await errorsOf([...demoArgs, '--auth'])).toEqual({ errors: `${missingOidcProvider}\n`, code: 1 });
});
