/** RFC 8259, rule by rule: the service accepts JSON and nothing else. Only objects are payloads. */
import assert from 'node:assert/strict'
import { withSharedAccount } from '../../test/shared-account.ts'
import { makeWebhook } from '../../test/webhook.ts'

/** As the value of a member. */
const values = {
  numbers: {
    valid: [
      ...['0', '-0', '1', '-1', '10', '9007199254740993', '123456789012345678901234567890', '0.0', '-0.0'],
      ...['0.1', '1.50', '3.141592653589793238462643383279', '1e0', '1E0', '1e+5', '1e-5', '1E+05', '1e007'],
      ...[
        '0e0',
        '0E-0',
        '-0e+0',
        '12.34e56',
        '1e400',
        '-1e400',
        '1e-400',
        '0.000000000000000000000000000001',
      ],
    ],
    invalid: [
      ...[
        '+1',
        '01',
        '-01',
        '00',
        '1.',
        '.5',
        '-.5',
        '-',
        '+',
        '1e',
        '1e+',
        '1e-',
        '1.e5',
        'e5',
        '1.2.3',
        '--1',
      ],
      ...[
        '0x10',
        '0b1',
        '0o7',
        '1_000',
        '1,5',
        '1n',
        'NaN',
        '-NaN',
        'Infinity',
        '-Infinity',
        '1 2',
        '1f',
        '¼',
      ],
      ...['１', '٣', '1\u00a0', '−1'],
    ],
  },
  strings: {
    valid: [
      ...[
        '""',
        '"a"',
        '"\\""',
        '"\\\\"',
        '"\\/"',
        '"/"',
        '"\\b\\f\\n\\r\\t"',
        '"\\u0000"',
        '"\\u00e9\\u00E9"',
      ],
      ...[
        '"\\uD83D\\uDE00"',
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\uffff"',
        '"😀"',
        '"\u007f"',
        '"\u0080"',
        '"\ufeff"',
      ],
      ...[
        '"\u2028\u2029"',
        '"\\\\u0000"',
        '"\ufffe\uffff"',
        '"\u{10ffff}"',
        `"'"`,
        '"//"',
        '"/* */"',
        '"{"',
        '"]"',
      ],
    ],
    invalid: [
      ...[
        '"',
        '"a',
        'a"',
        "'a'",
        '`a`',
        '"\\"',
        '"\\x41"',
        '"\\a"',
        '"\\v"',
        '"\\0"',
        `"\\'"`,
        '"\\U0041"',
        '"\\ "',
      ],
      ...[
        '"\\u"',
        '"\\u1"',
        '"\\u12"',
        '"\\u123"',
        '"\\u12g4"',
        '"\\u{41}"',
        '"\\u+123"',
        '"\\u 123"',
        '"\\ud83d\\u"',
      ],
      ...[
        '"\n"',
        '"\r"',
        '"\t"',
        '"\u0000"',
        '"\u0001"',
        '"\u001f"',
        '"\b"',
        '"a\\\nb"',
        '“a”',
        '"a""b"',
        '"a" "b"',
      ],
    ],
  },
  literals: {
    valid: ['true', 'false', 'null'],
    invalid: [
      ...[
        'True',
        'TRUE',
        'tru',
        'truee',
        'nul',
        'nil',
        'Null',
        'none',
        'undefined',
        'yes',
        'fals',
        'truefalse',
      ],
      ...['true false', 't', 'new Date()', 'function(){}', '/a/', '$', '\\u0074rue'],
    ],
  },
  structures: {
    valid: [
      ...[
        '[]',
        '{}',
        '[[]]',
        '[{}]',
        '{"a":[]}',
        '[1,2]',
        '[null]',
        '["a",true,{"b":1}]',
        '{"a":1,"a":2}',
        '{"":0}',
      ],
      ...[
        '{"\\u0061":1}',
        '{"a":{"a":{"a":{}}}}',
        '{" ":1}',
        '{"a b":1}',
        '{"__proto__":null}',
        '{"toString":1}',
      ],
    ],
    invalid: [
      ...[
        '[',
        ']',
        '[1',
        '1]',
        '[1,]',
        '[,1]',
        '[,]',
        '[1,,2]',
        '[1 2]',
        '[1;2]',
        '[1:2]',
        '["a":1]',
        '(1)',
        '[}',
        '{]',
      ],
      ...[
        '{',
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,',
        '{"a":1,}',
        '{,}',
        '{,"a":1}',
        '{"a"}',
        '{"a",1}',
        '{"a" 1}',
      ],
      ...[
        '{"a":1 "b":2}',
        '{"a":1;"b":2}',
        '{"a"::1}',
        '{:1}',
        '{a:1}',
        "{'a':1}",
        '{1:1}',
        '{null:1}',
        '{[]:1}',
      ],
      ...['{"a":}', '{"a"=1}', '{"a":1,,"b":2}', '<a/>', '...', ''],
    ],
  },
}

/** As the whole body. */
const bodies = {
  valid: [
    ...[
      ' {}',
      '{} ',
      '\t{}\t',
      '\n{}\n',
      '\r\n{}\r\n',
      '{ }',
      '{\t\n\r }',
      ' { "a" : 1 , "b" : [ 1 , 2 ] } ',
    ],
    ...['{\n"a"\n:\n1\n}', `${' '.repeat(2000)}{}${'\n'.repeat(2000)}`],
  ],
  invalid: [
    ...[
      '\u00a0{}',
      '{}\u00a0',
      '\u2028{}',
      '{\u3000}',
      '\v{}',
      '\f{}',
      '\0{}',
      '{}\0',
      '\ufeff{}',
      '{}\ufeff',
      '{\ufeff}',
    ],
    ...[
      '{}{}',
      '{},{}',
      '{}}',
      '{}]',
      '{};',
      '[{}',
      '{}#',
      '{}//',
      '/**/{}',
      '{/**/}',
      '{"a":1/**/}',
      '// \n{}',
      '# \n{}',
    ],
    ...[
      '{}x',
      'x{}',
      'callback({})',
      ")]}'\n{}",
      '&#123;}',
      '%7B%7D',
      '0',
      '"{}"',
      'true',
      'null',
      '[]',
      '[{}]',
      ' ',
      '\n',
    ],
  ],
}

const groups = Object.entries(values).map(([name, { valid, invalid }]) => ({
  name,
  valid: valid.map((value) => `{"v":${value}}`),
  invalid: invalid.map((value) => `{"v":${value}}`),
}))

for (const { name, valid, invalid } of [...groups, { name: 'white space and whole bodies', ...bodies }]) {
  withSharedAccount(`JSON ${name}: valid bodies are stored unchanged, others get a 400`, async (service) => {
    const webhook = await makeWebhook(service)
    for (const text of valid) JSON.parse(text)
    const taken = await Promise.all(valid.map((text) => webhook.post(text)))
    const refused = await Promise.all(invalid.map((text) => webhook.post(text)))
    const wrong = [
      ...valid.filter((_, index) => taken[index]!.status !== 202),
      ...invalid.filter((_, index) => refused[index]!.status !== 400),
    ]
    assert.deepEqual(wrong, [])
    assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set(['request_malformed']))
    const stored = (await webhook.deliveries()).map(({ body }) => body)
    assert.deepEqual(stored.toSorted(), valid.toSorted())
  })
}

withSharedAccount(
  'JSON encodings: bytes that are not UTF-8 get a 400, wherever they are',
  async (service) => {
    const webhook = await makeWebhook(service)
    const sequences = [
      ...[
        '80',
        'bf',
        'c0',
        'c1',
        'c080',
        'c1bf',
        'c2',
        'c220',
        'e0',
        'e080',
        'e08080',
        'e09fbf',
        'e282',
        'eda080',
      ],
      ...['edbfbf', 'eda0bdedb880', 'f0', 'f08080', 'f0808080', 'f08fbfbf', 'f09f98', 'f4908080', 'f5808080'],
      ...['f888808080', 'fc8480808080', 'fe', 'ff', 'fffe', 'feff', 'e9'],
    ]
    const wrong: string[] = []
    for (const hex of sequences) {
      const bytes = Buffer.from(hex, 'hex')
      const inText = Buffer.concat([Buffer.from('{"v":"'), bytes, Buffer.from('"}')])
      const inName = Buffer.concat([Buffer.from('{"'), bytes, Buffer.from('":1}')])
      const outside = Buffer.concat([Buffer.from('{'), bytes, Buffer.from('}')])
      for (const payload of [inText, inName, outside]) {
        if ((await webhook.post(payload)).status !== 400) wrong.push(payload.toString('hex'))
      }
    }
    assert.deepEqual(wrong, [])
    for (const encoding of ['utf16le', 'latin1'] as const) {
      assert.equal((await webhook.post(Buffer.from('{"v":"é"}', encoding))).status, 400, encoding)
    }
  },
)
