import { Button } from '../../parts/Button.tsx'
import { Detail } from '../../parts/Detail.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { type Column, Rows } from '../../parts/Rows.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import styles from './gallery.module.css'
import { moment } from './moment.ts'
import { type Exhibit, hostile } from './sample.tsx'

type Row = {
  id: number
  symbol: string
  action: string
  size: string | null
  price: string
  fee: string
  asset: string
  result: string
}

const row = (
  id: number,
  symbol: string,
  size: string | null,
  price: string,
  [fee, asset]: [string, string],
  result: string,
): Row => ({ id, symbol, action: id % 2 ? 'LONG' : 'SHORT', size, price, fee, asset, result })

/** Sizes, prices and fees of markets with different precision. */
const rows: readonly Row[] = [
  row(1, 'BTC/USDT', '0.015', '104231.5', ['0.00001', 'BTC'], '12.4'),
  row(2, 'ETH/USDT', '1.25', '3890', ['1.5', 'USDT'], '-3.05'),
  row(3, 'SHIB/USDT', '12500000', '0.00002345', ['0.29', 'USDT'], '0'),
  row(4, 'SOL/USDC', null, '188.21', ['0.12', 'USDC'], '1234567.89'),
  row(5, hostile, '12345678901234567890.123456789', '1', ['0', 'BNB'], '-0.01'),
]

const columns: TableColumn<Row>[] = [
  { name: 'Symbol', cell: ({ symbol }) => <Foreign text={symbol.slice(0, 40)} /> },
  { name: 'Action', isWide: true, cell: ({ action }) => <Action action={action} /> },
  { name: 'Size', isNumber: true, isWide: true, cell: ({ size }) => <Value value={size} /> },
  { name: 'Price', isNumber: true, isWide: true, cell: ({ price }) => <Value value={price} /> },
  { name: 'Fee', isNumber: true, isWide: true, cell: ({ fee, asset }) => <Value value={fee} unit={asset} /> },
  {
    name: 'Result',
    isNumber: true,
    cell: ({ result }) => <Value value={result} digits={2} unit="USDT" isResult />,
  },
]

const many: readonly Row[] = Array.from({ length: 10_000 }, (_, at) => ({
  ...rows[at % 4]!,
  id: at + 1,
}))

const rowColumns: Column<Row>[] = [
  { name: 'Outcome', width: '112px', cell: ({ id }) => <Status status={id % 3 ? 'DONE' : 'REFUSED'} /> },
  { name: 'Symbol', width: 'minmax(96px, 1fr)', cell: ({ symbol }) => <Foreign text={symbol} /> },
  // Too narrow for all digits to align: no digit may be cut.
  { name: 'Price', width: '92px', isNumber: true, cell: ({ price }) => <Value value={price} /> },
  {
    name: 'Fee',
    width: '140px',
    isNumber: true,
    isWide: true,
    cell: ({ fee, asset }) => <Value value={fee} unit={asset} />,
  },
  {
    name: 'Queued',
    width: '110px',
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ id }) => <Time at={moment - id * 61_000} />,
  },
]

export const lists: readonly Exhibit[] = [
  {
    name: 'Table',
    samples: [
      {
        name: 'numbers align at their decimal point, units at their beginning',
        content: <Table label="Fills" columns={columns} items={rows} idOf={({ id }) => id} />,
      },
      {
        name: 'one row',
        content: <Table label="Fill" columns={columns} items={rows.slice(0, 1)} idOf={({ id }) => id} />,
      },
    ],
  },
  {
    name: 'Rows',
    samples: [
      {
        name: 'ten thousand rows, the second one chosen',
        content: (
          <div className={styles.list}>
            <Rows
              label="Signals"
              columns={rowColumns}
              items={many}
              idOf={({ id }) => id}
              isChosen={({ id }) => id === 2}
            />
          </div>
        ),
      },
    ],
  },
  {
    name: 'Detail',
    samples: [
      {
        name: 'of one row, beside its list',
        content: (
          <Detail
            beside={{ open: 2, show: () => {} }}
            title="Signal 2"
            page={{ to: '/gallery' }}
            actions={<Button>Replay</Button>}
          >
            <Facts
              facts={[
                ['Action', <Action key="action" action="SHORT" />],
                ['From', <Foreign key="from" text={hostile} />],
              ]}
            />
            <Table label="Fills" columns={columns} items={rows.slice(0, 2)} idOf={({ id }) => id} />
          </Detail>
        ),
      },
    ],
  },
]
