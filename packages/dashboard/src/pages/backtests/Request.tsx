import { formatDuration } from '../../base/times.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import type { Backtest } from './backtests.ts'

/** What was asked for: everything that the result depends on, besides code and candles. */
export function Request({ backtest }: { backtest: Backtest }) {
  const { candles, period_ms: periodMs, warmup_from: warmUp, seed, at_end: atEnd, examine } = backtest
  const parameters = Object.entries(backtest.parameters)
  return (
    <>
      <Facts
        facts={[
          ['Candles', <Value key="candles" value={candles} />],
          ['Each lasts', formatDuration(periodMs)],
          ['Warm-up from', warmUp === null ? 'no warm-up' : <Time key="warm-up" at={warmUp} />],
          ['At the end', atEnd === 'close' ? 'positions are closed' : 'positions are kept'],
          ['Seed', <Value key="seed" value={seed} />],
          ['Asks for look-ahead', examine ? 'yes' : 'no'],
        ]}
      />
      {backtest.model !== null && (
        <Section title="Model">
          <Settings label="The model" settings={backtest.model} />
        </Section>
      )}
      {parameters.length > 0 && (
        <Section title="Parameters">
          <Table
            label="Parameters"
            items={parameters}
            idOf={([name]) => name}
            columns={[
              { name: 'Name', cell: ([name]) => name },
              { name: 'Value', cell: ([, value]) => <Foreign text={value} /> },
            ]}
          />
        </Section>
      )}
      {backtest.market !== null && (
        <Section title="Market">
          <Settings label="The market" settings={backtest.market} />
        </Section>
      )}
      {backtest.bots.map(({ number, name, settings }) => (
        <Section key={number} title={<Foreign text={name || `Bot ${number}`} />}>
          <Settings label={`Settings of bot ${number}`} settings={settings} />
        </Section>
      ))}
    </>
  )
}

/** Without those that are not set. */
function Settings({ label, settings }: { label: string; settings: object }) {
  return (
    <Table
      label={label}
      items={Object.entries(settings).filter(([, value]) => value !== null)}
      idOf={([field]) => field}
      columns={[
        { name: 'Setting', cell: ([field]) => field.replaceAll('_', ' ') },
        {
          name: 'Value',
          cell: ([, value]) => (
            <Foreign text={typeof value === 'object' ? JSON.stringify(value) : String(value)} />
          ),
        },
      ]}
    />
  )
}
