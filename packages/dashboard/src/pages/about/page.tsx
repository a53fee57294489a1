import { createLazyRoute } from '@tanstack/react-router'
import { Facts } from '../../parts/Facts.tsx'
import { Page, Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import styles from './about.module.css'
import { type Notice, notices, terms } from './notices.ts'

export const Route = createLazyRoute('/signed-in/about')({ component: About })

const columns: TableColumn<Notice>[] = [
  {
    name: 'Software',
    cell: ({ name, url }) => (
      <a href={url} target="_blank" rel="noreferrer">
        {name}
      </a>
    ),
  },
  { name: 'Used for', isWide: true, cell: ({ use }) => use },
  { name: 'Licence', cell: ({ license }) => <a href={`#${license}`}>{license}</a> },
]

/** The version of the dashboard, and whose work it contains. */
function About() {
  return (
    <Page title="About">
      <Facts
        facts={[
          ['Product', 'Tickwright'],
          ['Version', VERSION],
          ['Licence', 'MIT'],
          [
            'API',
            <a key="api" href="/docs" target="_blank" rel="noreferrer">
              reference
            </a>,
          ],
        ]}
      />
      <p>
        The charts are TradingView Lightweight Charts™, copyright (c) 2026 TradingView, Inc.:{' '}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          https://www.tradingview.com/
        </a>
      </p>
      <Section title="Software in these pages">
        <Table label="Software in these pages" columns={columns} items={notices} idOf={({ name }) => name} />
      </Section>
      {(['MIT', 'ISC', 'Apache-2.0'] as const).map((license) => (
        <Section key={license} title={`${license} licence`}>
          <div id={license} className={styles.terms}>
            {notices
              .filter((notice) => notice.license === license)
              .map(({ name, copyright }) => (
                <p key={name}>
                  {name}: {copyright}
                </p>
              ))}
            <p>{terms[license]}</p>
          </div>
        </Section>
      ))}
    </Page>
  )
}
