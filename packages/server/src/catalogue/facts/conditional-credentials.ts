/**
 * Credentials that orders need although ccxt does not list them as required. These exchanges accept one of several
 * sets, and ccxt checks only when it signs which one it has (source: `requiredCredentials` and the comments next to it
 * in ccxt 4.5.84, `js/src/prediction/polymarket.js`, `js/src/prediction/predictfun.js`, `js/src/dydx.js`).
 */
export const conditionalCredentials: Readonly<Record<string, readonly string[]>> = {
  polymarket: ['privateKey', 'walletAddress'],
  predictfun: ['privateKey', 'walletAddress'],
  dydx: ['privateKey'],
}
