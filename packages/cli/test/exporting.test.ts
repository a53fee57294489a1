import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeBot } from '../../server/test/bot.ts'
import { withSharedAccount } from '../../server/test/shared-account.ts'
import { login } from './login.ts'
import { makeHome, records } from './run.ts'

withSharedAccount(
  'records are exported the oldest first, to a new file, and a file of what never changes is continued',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const bot = await makeBot(account, { name: 'Follower' })
    const trade = async (count: number) => {
      await bot.send({ symbol: 'BTCUSDT', side: count % 2 === 1 ? 'BUY' : 'EXIT' })
      await bot.followed(count)
    }
    await trade(1)
    await trade(2)
    const read = (name: string) => readFile(join(home.path, name), 'utf8')
    const fills = records(await home.run('export fills --json'))
    assert.deepEqual(
      fills.map(({ side }) => side),
      ['buy', 'sell'],
    )
    const csv = await home.run('export fills --bot Follower -o fills.csv')
    assert.equal(csv.code, 0, csv.err)
    const [head, ...rows] = (await read('fills.csv')).split('\r\n')
    assert.match(head!, /^id,order_id,/)
    assert.deepEqual(
      rows.slice(0, -1).map((row) => Number(row.split(',')[0])),
      fills.map(({ id }) => id),
    )
    assert.equal((await home.run('export trades')).out.split('\r\n').length, 3)
    assert.equal(records(await home.run('export trades --json')).length, 1)
    assert.equal(records(await home.run('export orders --json --since 2100-01-01')).length, 0)

    // No file is overwritten, and nothing is left beside it.
    assert.match((await home.run('export orders -o fills.csv')).err, /exists already/)
    assert.equal((await read('fills.csv')).split('\r\n')[0], head)
    const resume = () => home.run('export fills --json -o fills.jsonl --resume')
    assert.match((await resume()).err, /Wrote 2 fills/)
    // As a kill leaves it: the last line is cut.
    const whole = await read('fills.jsonl')
    await writeFile(join(home.path, 'fills.jsonl'), whole.slice(0, -40))
    await trade(3)
    assert.match((await resume()).err, /Wrote 2 fills/)
    const continued = (await read('fills.jsonl')).trimEnd().split('\n')
    assert.equal(continued.slice(0, 2).join('\n'), whole.trimEnd())
    assert.equal(JSON.parse(continued[2]!).side, 'buy')
    assert.match((await resume()).err, /Wrote 0 fills/)
    // As if the second one had been stored after the third, which has a higher id.
    await writeFile(join(home.path, 'fills.jsonl'), `${continued.toSpliced(1, 1).join('\n')}\n`)
    assert.match((await resume()).err, /Wrote 1 fill to /)
    assert.equal((await read('fills.jsonl')).trimEnd().split('\n').at(-1), continued[1])
    assert.match((await resume()).err, /Wrote 0 fills/)

    for (const text of ['a note', 'a note\n', '{"id":"x"}\n', '{"name":"x"}']) {
      await writeFile(join(home.path, 'note'), text)
      const refused = await home.run('export fills --json -o note --resume')
      assert.equal(refused.code, 1, text)
      assert.equal(await read('note'), text)
    }
    assert.equal((await home.run('export orders --json -o orders.jsonl --resume')).code, 2)
    assert.equal((await home.run('export fills -o more.csv --resume')).code, 2)
    assert.equal((await home.run('export users')).code, 2)
    assert.deepEqual((await readdir(home.path)).filter((name) => !name.startsWith('.')).sort(), [
      'fills.csv',
      'fills.jsonl',
      'note',
    ])
  },
)
