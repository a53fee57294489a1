import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { seriesQuery } from './choices.ts'
import { partsOf } from './csv-parts.ts'

/** Imports candles from a file of CSV, as a series of the user's own. */
export function ImportCandles() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Import candles from a file</Button>
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function ImportDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [problem, setProblem] = useState<string | null>(null)
  const send = async (data: FormData) => {
    const file = data.get('file')
    const wrong = problemOfFile(file)
    setProblem(wrong)
    if (wrong !== null || !(file instanceof File)) return
    const text = (name: string) => String(data.get(name) ?? '').trim()
    const { id } = await client.candles.create({
      name: file.name.slice(0, 200),
      symbol: text('symbol'),
      interval: text('interval'),
    })
    try {
      for (const { csv, firstLine } of partsOf(await file.text()))
        await client.candles.import(id, { csv, first_line: firstLine })
    } catch (error) {
      // Half of a file is nobody's candles.
      await client.candles.delete(id).catch(() => undefined)
      throw error
    }
    await queries.invalidateQueries({ queryKey: seriesQuery.queryKey })
    onClose()
  }
  return (
    <FormDialog
      title="Import candles"
      word="Import"
      onSend={send}
      onClose={onClose}
      fields={['symbol', 'interval']}
    >
      {(problemOf) => (
        <>
          <TextField
            label="Symbol"
            name="symbol"
            isCode
            required
            placeholder="BTC/USDT"
            hint="BTC/USDT for spot, BTC/USDT:USDT for futures."
            problem={problemOf('symbol')}
          />
          <TextField
            label="Each candle lasts"
            name="interval"
            isCode
            required
            placeholder="1h"
            hint="Such as 1m, 4h or 1d."
            problem={problemOf('interval')}
          />
          <TextField
            label="File"
            name="file"
            type="file"
            accept=".csv,text/csv"
            problem={problem}
            hint="CSV with the header time,open,high,low,close,volume, the oldest candle first."
          />
        </>
      )}
    </FormDialog>
  )
}

/** The page has all of it in memory. The API takes any size, in parts. */
const mostMegabytes = 200

function problemOfFile(file: FormDataEntryValue | null): string | null {
  if (!(file instanceof File) || file.size === 0) return 'Choose a file.'
  if (file.size <= mostMegabytes * 1_000_000) return null
  return `The file has more than ${mostMegabytes} MB. Import it in parts.`
}
