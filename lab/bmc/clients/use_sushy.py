"""What OpenStack's sushy does with a BMC, once with each way to log in. Reads {url, username, password, ca} from stdin."""

import json
import sys
import time

import sushy
from sushy import auth


def wait_for(system, state):
    end = time.monotonic() + 20
    while system.power_state != state:
        assert time.monotonic() < end, f"still {system.power_state}, wanted {state}"
        time.sleep(0.05)
        system.refresh(force=True)


def use(url, login, ca):
    root = sushy.Sushy(url, auth=login, verify=ca)
    system = root.get_system("/redfish/v1/Systems/1")
    assert sushy.ResetType.FORCE_OFF in system.get_allowed_reset_system_values()

    system.reset_system(sushy.ResetType.ON)
    wait_for(system, sushy.PowerState.ON)
    system.reset_system(sushy.ResetType.FORCE_OFF)
    wait_for(system, sushy.PowerState.OFF)

    system.set_system_boot_options(
        target=sushy.BootSource.PXE, enabled=sushy.BootSourceOverrideEnabled.ONCE
    )
    system.refresh(force=True)
    assert system.boot.target == sushy.BootSource.PXE
    system.reset_system(sushy.ResetType.ON)
    wait_for(system, sushy.PowerState.ON)
    assert system.boot.enabled == sushy.BootSourceOverrideEnabled.DISABLED

    manager = root.get_manager("/redfish/v1/Managers/1")
    drive = manager.virtual_media.get_members()[0]
    drive.insert_media("https://192.0.2.10/install.iso")
    drive.refresh(force=True)
    assert drive.inserted and drive.image.endswith("install.iso")
    drive.eject_media()
    drive.refresh(force=True)
    assert not drive.inserted
    try:
        drive.insert_media("no address")
        raise AssertionError("a bad image was taken")
    except sushy.exceptions.BadRequestError as error:
        assert "Image" in str(error), error

    assert [chassis.identity for chassis in root.get_chassis_collection().get_members()] == ["1"]
    assert root.registries["Base.1.19"].messages["PropertyUnknown"].number_of_args == 1
    login.close()


given = json.load(sys.stdin)
user, password = given["username"], given["password"]
for login in (auth.BasicAuth(user, password), auth.SessionAuth(user, password)):
    use(given["url"], login, given["ca"])
print("ok")
