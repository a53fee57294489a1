// One call into V8 that no timeout can interrupt. Only a kill ends it.
const longest = { length: 2 ** 53 - 1 }
if ([].indexOf.call(longest, 1) === 0) $.log('never')
