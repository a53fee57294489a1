/**
 * Credentials that orders need although ccxt does not list them as required: these exchanges take one of
 * several sets, and ccxt checks which one it got when it signs (source: `requiredCredentials` and the comments
 * beside it in ccxt 4.5.84, `js/src/prediction/polymarket.js`, `js/src/prediction/predictfun.js`,
 * `js/src/dydx.js`).
 */
export const conditionalCredentials: Readonly<Record<string, readonly string[]>> = {
  polymarket: ['privateKey', 'walletAddress'],
  predictfun: ['privateKey', 'walletAddress'],
  dydx: ['privateKey'],
}
