// One call into V8 that no timeout reaches: whoever makes it has to be killed.
const longest = { length: 2 ** 53 - 1 }
if ([].indexOf.call(longest, 1) === 0) $.log('never')
