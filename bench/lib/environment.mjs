/**
 * What every server under measurement has around it. Not what this machine happens to have: `NODE_EXTRA_CA_CERTS` alone
 * makes Node 20 start 45 ms later, which makes whatever is measured against that start look good.
 */
const { PATH, HOME } = process.env;

export const environment = { PATH, HOME, NODE_ENV: 'production' };
