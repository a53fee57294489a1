/**
 * Gives a request hundreds of thousands of parameters without a name or a value, which no sum of lengths counts.
 *
 * Holds: the number of parameters is limited, too: a message is never longer than a frame may be.
 *
 * @ends failed RangeError
 */
await $.Http.get('http://a.example/', { '': new Array(400_000).fill('') })
