/** `tenon logout`: revokes and deletes the credentials for a server, or for all of them. */
import { knownServers } from '../../../auth/client/flows/known-servers.ts';
import { oauth } from '../../../auth/client/oauth.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import { readConnection, urlTargetOf } from '../../target/open-client.ts';
import { oauthOptions } from '../../target/stored-auth.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given): Promise<CommandResult> => {
  const isAll = given.flag('all');
  if (isAll === (given.target !== undefined))
    throw usageError('Which server?', 'Write tenon logout https://…, or tenon logout --all.');
  const options = oauthOptions(given.io);
  const auth = oauth(options);
  if (isAll) {
    await auth.signOut();
    return { result: { all: true }, text: 'Signed out of all servers.' };
  }
  const target = urlTargetOf(await readConnection(given));
  if (target === undefined) throw usageError('Only a server at a URL has a sign-in.', 'Write tenon logout https://….');
  const { url } = target;
  const isSignedIn = (await knownServers(options.store)).includes(new URL(url).href);
  await auth.signOut(url);
  return {
    result: { url, isSignedOut: isSignedIn },
    text: isSignedIn ? `Signed out of ${url}.` : `No credentials are stored for ${url}.`,
  };
};
