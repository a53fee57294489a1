/**
 * Hides options of an action in the prototype of its options.
 *
 * Holds: options are a plain object, whose prototype is frozen; and only own members are options.
 *
 * @ends failed TypeError: options must be a plain object
 */
$.log(await $.Strategy.action('LONG', Object.create({ size: 'ESCAPED', forceSize: 1 })))
