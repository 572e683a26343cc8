/** `tenon dev-auth`: an authorization server for development, until it is interrupted. */
import { type DevAuthOptions, signInAtDevAuth, startDevAuthServer } from '../../../dev-auth/index.ts';
import { isLoopbackUrl } from '../../../dev-auth/loopback.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import { objectIn } from '../../input/call-arguments.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { interrupted, portOf } from '../../io/until-closed.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const { io } = given;
  const page = given.text('sign-in');
  if (page !== undefined) return signIn(given, page);
  const auth = await startDevAuthServer({
    ...optionsOf(given),
    onAnnounce: (line) => io.err(`${line}\n`),
    onEvent: (event) => io.err(`${JSON.stringify(event)}\n`),
  });
  const { issuer } = auth;
  given.emit({ issuer }, issuer);
  await interrupted(io);
  await auth.close();
  return { result: { issuer, closed: true }, text: '' };
};

/** As a browser: signs in, and follows the redirect to the client on this machine. */
async function signIn(given: Given, page: string): Promise<CommandResult> {
  if (!isUrl(page)) throw usageError('--sign-in needs a URL.', 'Pass the page that tenon login shows, in quotes.');
  const [user] = given.texts('user');
  const redirect = await signInAtDevAuth(page, user === undefined ? {} : { user });
  const client = `${redirect.origin}${redirect.pathname}`;
  if (!isLoopbackUrl(redirect.href))
    throw usageError(`The client is at ${client}, on another machine.`, 'Sign in with a browser there.');
  const { ok } = await fetch(redirect);
  return {
    result: { client, isSignedIn: ok },
    text: ok ? `Signed in; ${client} has the code.` : `${client} did not accept the code.`,
    exit: ok ? 0 : 1,
  };
}

function optionsOf(given: Given): DevAuthOptions {
  const noUrl = given.texts('resource').find((text) => !isUrl(text));
  if (noUrl !== undefined)
    throw usageError(`--resource cannot be ${JSON.stringify(noUrl)}.`, 'Write a URL: http://127.0.0.1:3000/mcp.');
  const [resources, scopes, users] = [given.texts('resource'), given.texts('scope'), given.texts('user')];
  return {
    port: portOf('port', given.text('port') ?? '0'),
    accessTokens: given.flag('opaque') ? 'opaque' : 'jwt',
    ...(resources.length > 0 && { resources }),
    ...(scopes.length > 0 && { scopes }),
    ...(users.length > 0 && { users: Object.fromEntries(users.map(userOf)) }),
  };
}

/** A name, or a name with the claims of its tokens: `ada={"roles":["admin"]}`. */
function userOf(text: string): readonly [string, Record<string, unknown>] {
  const [, name = text, claims] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return [name, claims === undefined ? {} : objectIn(claims, `--user ${name}`)];
}
