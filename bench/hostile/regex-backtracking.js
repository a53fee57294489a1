const text = `${'a'.repeat(60)}b`
if (/^(a+)+$/.test(text)) $.log('never')
