/** Where the clients of the tests come back to: nothing listens there, as the sign-in follows no redirect to it. */
export const redirectUri = 'http://127.0.0.1:5999/callback';
