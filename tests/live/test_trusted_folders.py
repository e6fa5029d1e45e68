# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder that the playbook trusts is trusted by the real CLI, which keeps it in the file that it rewrites itself.

The first run is the README's own command, with its look before and an environment of its own; the others cost less.
"""

from __future__ import annotations

import json

from clis import installed, pinned
from copilot import run
from workstation import make_site, play_site

HERE = ("-i", "localhost,", "-c", "local")


def test_a_folder_in_a_config_that_we_made_is_trusted_and_kept(make_scratch_user, collections_path):
    cli = installed("copilot", pinned("copilot")[-1])
    user = make_scratch_user()
    mark = user.home / "repository-hook-ran"
    hook = {"type": "command", "command": f"touch {mark}", "timeoutSec": 10}
    user.write("work/.github/hooks/repository.json", json.dumps({"version": 1, "hooks": {"userPromptSubmitted": [hook]}}))

    def session():
        run(cli, user.home, [{"text": "done"}], user=user.name)
        return mark.exists()

    folders = {"agentihooks_trusted_folders": [str(user.home / "work")]}
    make_site(user, collections_path, **folders)
    config = user.home / ".copilot" / "config.json"
    assert json.loads(config.read_text()) == {"trustedFolders": folders["agentihooks_trusted_folders"]}
    assert session(), "the CLI does not trust the folder"
    text = config.read_text()
    assert "firstLaunchAt" in text and folders["agentihooks_trusted_folders"][0] in text, "the CLI's own write lost the folder"

    assert "changed=0" in play_site(user, collections_path, *HERE, **folders).rpartition("PLAY RECAP")[2]
    assert config.read_text() == text

    play_site(user, collections_path, *HERE)
    assert folders["agentihooks_trusted_folders"][0] not in config.read_text() and "firstLaunchAt" in config.read_text()
    mark.unlink()
    assert not session(), "a folder that is trusted no longer still runs its hooks"
