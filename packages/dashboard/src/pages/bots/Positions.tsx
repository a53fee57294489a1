import type { Position, SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { Button } from '../../parts/Button.tsx'
import { CloseDialog } from '../../parts/CloseDialog.tsx'
import { Empty } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { ProtectDialog } from '../../parts/protection/ProtectDialog.tsx'
import { ProtectionWords } from '../../parts/protection/ProtectionWords.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Price, Time, Value } from '../../parts/Values.tsx'
import { MarginWords } from './MarginWords.tsx'
import styles from './positions.module.css'

/** The open positions of a bot, each with what protects it. Each can be closed by itself. */
export function Positions({ bot }: { bot: SignalBot }) {
  const [closing, setClosing] = useState<string | null>(null)
  const [protecting, setProtecting] = useState<string | null>(null)
  const columns: TableColumn<Position>[] = [
    { name: 'Symbol', cell: ({ symbol }) => <Foreign text={symbol} /> },
    { name: 'Side', cell: ({ side }) => side ?? '–' },
    { name: 'Size', isNumber: true, cell: ({ size }) => <Value value={size} /> },
    { name: 'Entry', isNumber: true, isWide: true, cell: ({ entry_price }) => <Price value={entry_price} /> },
    { name: 'Price', isNumber: true, isWide: true, cell: ({ price }) => <Value value={price} /> },
    {
      name: 'Result',
      isNumber: true,
      cell: ({ unrealised }) => <Value value={unrealised} digits={2} isResult />,
    },
    { name: 'Opened', isNumber: true, isWide: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
    {
      name: 'Close',
      isNumber: true,
      cell: ({ symbol }) => (
        <Button look="quiet" aria-label={`Close ${plainText(symbol)}`} onClick={() => setClosing(symbol)}>
          Close
        </Button>
      ),
    },
  ]
  return (
    <>
      {bot.positions.length === 0 ? (
        <Empty title="The bot holds nothing">A signal that opens a position appears here.</Empty>
      ) : (
        <>
          <Table label="Positions" columns={columns} items={bot.positions} idOf={({ symbol }) => symbol} />
          <Section title="Protection">
            <div className={styles.protections}>
              {bot.positions.map((position) => (
                <section key={position.symbol} className={styles.protection}>
                  <header>
                    <h3>
                      <Foreign text={position.symbol} />
                    </h3>
                    <Button aria-label={labelFor(position)} onClick={() => setProtecting(position.symbol)}>
                      {isProtected(position) ? 'Change …' : 'Protect …'}
                    </Button>
                  </header>
                  <ProtectionWords position={position} />
                  <MarginWords position={position} />
                </section>
              ))}
            </div>
          </Section>
        </>
      )}
      {closing !== null && <CloseDialog bot={bot} symbol={closing} onClose={() => setClosing(null)} />}
      {protecting !== null && (
        <ProtectDialog bot={bot} symbol={protecting} onClose={() => setProtecting(null)} />
      )}
    </>
  )
}

function isProtected({ protection }: Position): boolean {
  return protection !== null && protection.state !== 'CALLED_OFF'
}

function labelFor(position: Position): string {
  const symbol = plainText(position.symbol)
  return isProtected(position) ? `Change … the protection of ${symbol}` : `Protect … ${symbol}`
}
