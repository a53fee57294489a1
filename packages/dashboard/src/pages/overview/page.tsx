import { createLazyRoute } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { Equities } from './Equities.tsx'
import { Feed } from './Feed.tsx'
import { NeedsYou } from './NeedsYou.tsx'
import { NextRuns } from './NextRuns.tsx'
import styles from './overview.module.css'
import { Positions } from './Positions.tsx'

export const Route = createLazyRoute('/signed-in/overview')({ component: Overview })

/** What is happening now, and what needs the user. */
function Overview() {
  return (
    <Page title="Overview">
      <NeedsYou />
      <Equities />
      <Positions />
      <div className={styles.columns}>
        <NextRuns />
        <Feed />
      </div>
    </Page>
  )
}
