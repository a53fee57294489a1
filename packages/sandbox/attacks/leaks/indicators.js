/**
 * Feeds indicators, and looks whether new ones know of it.
 *
 * Holds: the library keeps no state beside its objects, and is frozen.
 *
 * @ends completed
 * @log null null false
 */
const fresh = [new $.Ta.SMA(3), new $.Ta.RSI(3)]
$.log(fresh[0].getResult(), fresh[1].getResult(), fresh[0].isStable)
for (let price = 1; price < 50; price += 1) for (const indicator of fresh) indicator.update(price)
for (const name of Object.getOwnPropertyNames($.Ta)) {
  try { $.Ta[name].leftover = 1; $.log('ESCAPED', name) } catch {}
  try { $.Ta[name].prototype.update = () => 1; $.log('ESCAPED', name) } catch {}
}
