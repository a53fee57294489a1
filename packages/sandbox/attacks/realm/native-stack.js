/**
 * Overflows the stack inside functions of `$`, to catch an error made outside of the code's own functions.
 *
 * Holds: the whole isolate is one realm: the error belongs to the isolate, and its stack names only places in the code.
 *
 * @ends completed
 * @log true false
 */
let caught
const dive = () => { try { dive() } catch { try { $.Strategy.roi(true, 1, 2) } catch (error) { caught ??= error } throw 0 } }
try { dive() } catch {}
caught ??= new RangeError('none')
$.log(caught instanceof RangeError && Object.getPrototypeOf(caught) === RangeError.prototype, /tickwright|node:|\.ts/.test(caught.stack))
