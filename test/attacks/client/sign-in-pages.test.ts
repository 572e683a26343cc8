/** Pages that a sign-in without a browser would not end at, or that lead it elsewhere. */
import { signInAtDevAuth } from 'tenon/dev-auth';
import { expect, it } from 'vitest';
import { scripted } from '../../kit/http/scripted-server.ts';

it('redirects inside the server end after 50 pages [S24]', async () => {
  let count = 0;
  const server = await scripted(({ response }) => {
    count += 1;
    // The end of a loop without a limit.
    if (count > 200) return response.writeHead(200).end('done');
    return response.writeHead(302, { location: `/${count}` }).end();
  });
  const failure = { code: 'unauthorized', message: expect.stringContaining('more than 50 pages') };
  await expect(signInAtDevAuth(`${server.origin}/auth`)).rejects.toMatchObject(failure);
  expect(count).toBe(50);
});

it('forms that are followed by forms end after 50 pages [S24]', async () => {
  const server = await scripted(({ response }) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<form method="post" action="/again"></form>'),
  );
  const failure = { code: 'unauthorized', message: expect.stringContaining('it goes on at /again') };
  await expect(signInAtDevAuth(`${server.origin}/auth`)).rejects.toMatchObject(failure);
  expect(server.received).toHaveLength(50);
});

it('a form that leads to another origin is not sent there, and neither are the cookies [S21]', async () => {
  const other = await scripted(({ response }) => response.writeHead(200).end('thanks'));
  const server = await scripted(({ response }) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'interaction=secret' })
      .end(`<form method="post" action="${other.origin}/take"></form>`),
  );
  expect((await signInAtDevAuth(`${server.origin}/auth`)).href).toBe(`${other.origin}/take`);
  expect(other.received).toHaveLength(0);
});
